#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "check/study.hpp"
#include "compile/cache.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// A case's machine code: as the model reads it, and as a file that a worker loads.
struct BuiltKernel {
  const LoadedKernel* kernel = nullptr;
  std::string cubin_path, hash;
};

/// Whether the key `kernel` of a stanza means the kernel with this symbol: it is that, its readable name, or the latter
/// without parameters.
[[nodiscard]] bool is_named(const std::string& symbol, const std::string& name);

/// Compiles the kernels of cases. Cases with the same source and macros share their machine code.
class CaseBuilder {
 public:
  /// `folder` is that of the YAML file; sources are relative to it. `how` has the architecture, `cache_dir` is as in
  /// BuildOptions.
  CaseBuilder(std::filesystem::path folder, LoadOptions how, const std::string& cache_dir)
      : folder_(std::move(folder)), how_(std::move(how)), cache_(Cache::open(cache_dir)) {}

  /// One for each case, valid as long as the builder; sources are compiled at once. Errors of load_file(); "kernel" if
  /// there is no such entry, or none that takes these arguments.
  [[nodiscard]] std::vector<Expected<BuiltKernel>> build(std::span<const KernelCase> cases);

 private:
  struct Loaded {
    Expected<LoadedFile> file;
    std::map<std::size_t, std::string> names = {};  ///< of images in the cache
  };

  [[nodiscard]] Expected<LoadedFile> load(const KernelCase& one);
  [[nodiscard]] Expected<BuiltKernel> find(const KernelCase& one);

  std::filesystem::path folder_;
  LoadOptions how_;
  Cache cache_;
  std::map<std::string, Loaded> loaded_;  ///< by source and macros
};

}  // namespace warpclock
