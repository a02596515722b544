#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <string>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"

namespace warpclock {

/// Loaded cubins by path. If there are too many, the least recently used one is unloaded.
class ModuleCache {
 public:
  explicit ModuleCache(const Driver& driver, std::size_t capacity = 32) : driver_(driver), capacity_(capacity) {}
  ModuleCache(const ModuleCache&) = delete;
  ModuleCache& operator=(const ModuleCache&) = delete;
  ~ModuleCache();

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// The kernel stays valid until `capacity` other files were requested. The file may hold a cubin or PTX. Errors:
  /// "io", "cuda" (not for this device, no such symbol), "fault".
  [[nodiscard]] Expected<CUfunction> function(const std::string& path, const std::string& symbol);

  /// Unloads the module of the file if it is loaded. Error "fault".
  [[nodiscard]] Expected<void> unload(const std::string& path);

 private:
  struct Entry {
    std::string path;
    CUmodule module = nullptr;
    std::map<std::string, CUfunction> functions;
  };

  [[nodiscard]] Expected<Entry*> entry(const std::string& path);

  const Driver& driver_;
  std::size_t capacity_;
  std::list<Entry> entries_;  // the most recently used first
};

}  // namespace warpclock
