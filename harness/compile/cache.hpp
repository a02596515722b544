#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The cache entry of one compiled case.
struct CachedCase {
  std::string image;  ///< file name in the cache: the hash of its content, then .cubin or .ptx
  std::vector<std::pair<std::int64_t, std::string>> kernels;  ///< repeat count, symbol in the image
  std::string listing;                                        ///< listings of these kernels, in the form that
                                                              ///< parse_listings() reads
  std::string ptx;                                            ///< window of the smallest repeat count

  bool operator==(const CachedCase&) const = default;
};

struct CacheLimits {
  std::uint64_t bytes = std::uint64_t{512} << 20;
  std::chrono::seconds recent{3600};  ///< files used more recently are kept: another process may be about to load them
};

/// A folder of small files that any number of processes and threads share. Each case has a file `<key>.case`, which
/// names the `<hash>.cubin` that holds the kernels of its batch. Files appear complete (written under another name,
/// then renamed), and each holds a hash of its content, so that a damaged one counts as missing. The key of a case does
/// not depend on what it is compiled together with. The hashes prevent mix-ups; they do not protect against someone who
/// can write to the folder.
class Cache {
 public:
  /// `folder` is created if missing. If it cannot be written, a folder of this user in the temporary directory is used
  /// and `warning()` says so. Error "io" if that fails too.
  [[nodiscard]] static Expected<Cache> open(const std::string& folder, CacheLimits limits = {});

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const std::string& warning() const { return warning_; }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  /// The entry, or nothing unless both the case and its image are present and intact.
  [[nodiscard]] std::optional<CachedCase> find(const std::string& key);
  [[nodiscard]] Expected<void> store(const std::string& key, const CachedCase& entry);

  /// Returns the file name under which `bytes` are stored; `ending` is ".cubin" or ".ptx".
  [[nodiscard]] Expected<std::string> store_image(const std::string& bytes, const std::string& ending);

  /// Removes files, the least recently used first, until the folder holds less than the limit.
  void prune();

 private:
  Cache(std::string folder, std::string warning, CacheLimits limits)
      : folder_(std::move(folder)), warning_(std::move(warning)), limits_(limits) {}

  bool sound_image(const std::string& name);

  std::string folder_, warning_;
  CacheLimits limits_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
  std::map<std::string, bool> images_;  ///< whether an image was found intact, so that it is read only once
};

}  // namespace warpclock
