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
#include "compile/cache.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "plan/plan.hpp"

namespace warpclock {

/// Indices of cases that are compiled as one module: cases of one probe file (or generated ones) for one target.
struct Batch {
  Target target;
  std::vector<std::size_t> cases;
};

/// A case to compile.
struct Order {
  std::size_t index;
  Target target;
};

[[nodiscard]] std::size_t kernels_of(const Batch& batch, const std::vector<Case>& cases);

/// Batches of 8 to 64 kernels (generated ones: up to 256), enough for every thread; the largest batch first. A module
/// costs about 0.05 s in addition to its kernels (the front end reads the headers), a kernel 10 to 130 ms. The result
/// depends only on the arguments.
[[nodiscard]] std::vector<Batch> plan_batches(const std::vector<Order>& orders, const std::vector<Case>& cases,
                                              unsigned threads);

/// What to try after a batch failed: its halves, or each case on its own.
[[nodiscard]] std::vector<Batch> halves(const Batch& batch);
[[nodiscard]] std::vector<Batch> singles(const Batch& batch);

/// nvdisasm's output by kernel. Text before the first kernel is under "".
[[nodiscard]] std::map<std::string, std::string_view> sections_of(std::string_view disassembly);

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
