#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/disassembler.hpp"
#include "compile/batch.hpp"
#include "compile/cache.hpp"

namespace warpclock {

/// A batch that is compiled but not yet disassembled.
struct Module {
  Batch batch;
  std::string image;       ///< name in the cache
  std::string bytes, ptx;  ///< the image itself; PTX of all its kernels
};

/// Disassembles modules, several at once where nvdisasm's start would take longer than their new instructions. Any
/// number of threads may share one object.
class ModuleReader {
 public:
  /// What becomes of a module: its text by kernel, as sections_of() gives it; an error; or parts to be compiled anew.
  struct Outcomes {
    std::function<void(const Module&, const std::map<std::string, std::string_view>& sections)> keep;
    std::function<void(const Batch&, const Error&)> fail;
    std::function<void(const std::vector<Batch>&)> retry;
  };

  ModuleReader(const Expected<std::string>& nvdisasm, const Cache& cache, Outcomes outcomes)
      : nvdisasm_(nvdisasm), cache_(cache), outcomes_(std::move(outcomes)) {}

  /// Takes a module to be read by read_waiting(), or reads it at once if nvdisasm has to read it as a whole.
  void add(Module module);

  /// Disassembles the modules that were added, once they are large enough together or no more will come.
  void read_waiting(bool more_to_come);

 private:
  void read(const Arch& arch, const std::vector<const Module*>& modules);
  void read_whole(const Module& module);
  void keep(const Module& module, const std::map<std::string, std::string_view>& sections);
  std::optional<Error> nothing_readable(const Arch& arch);
  void refused(const Batch& batch, const Error& error);

  Disassembler& disassembler_ = common_disassembler();
  const Expected<std::string>& nvdisasm_;
  const Cache& cache_;
  Outcomes outcomes_;
  std::mutex mutex_;  ///< guards what follows
  std::vector<Module> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::map<Arch, std::optional<bool>> readable_;  ///< whether nvdisasm reads an architecture; nothing until known
  std::optional<Error> refusal_;                  ///< nvdisasm's last error for an architecture that it does not read
};

}  // namespace warpclock
