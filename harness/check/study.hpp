#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "compile/cache.hpp"
#include "gpu/job/call.hpp"
#include "inspect/load.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {

/// The study of all generated blocks (blocks/block.hpp).
inline constexpr std::string_view block_study = "block";

/// An argument before the sweep's values are put in.
struct ArgumentSpec {
  bool buffer = false;
  CallType type = CallType::F32;
  Product number;              ///< elements of a buffer, or the value of a scalar
  double value = 0;            ///< of a scalar that has no product
  std::string fill = "zeros";  ///< of a buffer: one of call_fill_names(), or a parameter
};

/// The size of cuBLAS's gemm_f16_f32.
struct LibrarySpec {
  Product m, n, k;
};

/// A stanza of `kernels:`: a kernel, how it is launched, and its variants.
struct KernelStudy {
  std::string name, says, place;
  std::string source;  ///< as the stanza has it: from the folder of the YAML file; empty: it has none
  std::string kernel;  ///< its entry, or {parameters} in it
  Sweep sweep;
  std::array<Product, 3> grid, block;
  Product shared_bytes;
  std::string l2 = "warm";  ///< "warm", "cold", or a parameter
  std::int64_t launches = 15;
  bool held_out = false;
  std::vector<ArgumentSpec> arguments;
  std::vector<std::pair<int, Product>> trips;              ///< by the id of the loop
  std::string hit;                                         ///< the level that answers, or a parameter; empty by `l2`
  std::vector<std::pair<std::int64_t, std::string>> hits;  ///< of single accesses, by address
  std::optional<LibrarySpec> library;
};

/// One point of a study on a GPU with so many SMs; nothing is left to resolve.
struct KernelCase {
  std::string id;  ///< "transpose[variant=naive,size=4096]"
  std::string study, says, place, source, kernel;
  std::string ptx;  ///< a source that was generated; empty: it is in the file
  Parameters parameters;
  std::vector<std::string> defines;  ///< macros of the parameters, as those of probes
  bool held_out = false;
  Call call;  ///< its symbol is still to be found
  std::map<int, std::int64_t> trips;
  std::optional<MemoryLevel> level;  ///< that the file says; nothing: the buffers do
  std::map<std::int64_t, MemoryLevel> hits;
};

/// Whether a stanza has to say in which file its kernel is.
enum class SourceKey : std::uint8_t { Required, Optional };

void describe(YamlArchive& a, KernelStudy& v, SourceKey source, std::size_t& points_of_file);

/// Of a file of them, whose sources are in other files.
[[nodiscard]] Json kernels_schema(YamlSchema& all);

/// Reads `kernels:`. The text is foreign input: error "config" with file:line:column.
[[nodiscard]] Expected<std::vector<KernelStudy>> read_studies(const std::string& file, std::string_view text,
                                                              SourceKey source = SourceKey::Required);

/// The cases in the order of the file, on a GPU with so many SMs. Error "config", also where a library would do other
/// work than the kernel: no buffer has the size of one of its matrices.
[[nodiscard]] Expected<std::vector<KernelCase>> kernel_cases(const std::vector<KernelStudy>& studies, std::int64_t sms);

/// Those whose ids match one of the patterns, or all without any. Error "filter", with the file, if one matches
/// nothing.
[[nodiscard]] Expected<std::vector<KernelCase>> chosen_cases(std::vector<KernelCase> cases,
                                                             const std::vector<std::string>& patterns,
                                                             const std::string& file);

/// A case's machine code: as the model reads it, and as a file that a worker loads.
struct BuiltKernel {
  const LoadedKernel* kernel = nullptr;
  std::string cubin_path, hash;
};

/// Of these symbols, the places of those that the key `kernel` of a stanza means: it is the symbol, or its readable
/// name with or without parameters; if none is, it is the name without the type and arguments of a template.
[[nodiscard]] std::vector<std::size_t> named_by(const std::vector<std::string>& symbols, const std::string& name);

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
