#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

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

/// Compiles the kernels of cases. Cases with the same source and macros share their machine code.
class CaseBuilder {
 public:
  /// `folder` is that of the YAML file; sources are relative to it. `how` has the architecture. Error "io".
  [[nodiscard]] static Expected<CaseBuilder> open(std::filesystem::path folder, LoadOptions how,
                                                  const std::string& cache_dir);

  /// The result is valid as long as the builder. Errors of load_file(); "kernel" if there is no such entry, or none
  /// that takes these arguments.
  [[nodiscard]] Expected<BuiltKernel> build(const KernelCase& one);

 private:
  struct Loaded {
    LoadedFile file;
    std::map<std::size_t, std::string> names;  ///< of images in the cache
  };

  CaseBuilder(std::filesystem::path folder, LoadOptions how, Cache cache)
      : folder_(std::move(folder)), how_(std::move(how)), cache_(std::move(cache)) {}

  std::filesystem::path folder_;
  LoadOptions how_;
  Cache cache_;
  std::map<std::string, std::unique_ptr<Loaded>> loaded_;
  std::map<std::string, Error> failed_;
};

}  // namespace warpclock
