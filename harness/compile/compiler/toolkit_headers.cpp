#include "compile/compiler/toolkit_headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "code/toolkit.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> include_candidates() {
  std::vector<fs::path> folders;
  if (const fs::path library = nvrtc_path(); !library.empty()) {
    std::error_code error;
    folders.push_back(library.parent_path().parent_path() / "include");
    // lib64 may be a link into targets/x86_64-linux.
    if (const auto real = fs::canonical(library, error); !error)
      folders.push_back(real.parent_path().parent_path() / "include");
  }
  for (const fs::path& folder : toolkit_folders()) folders.push_back(folder / "include");
  if (constexpr std::string_view built_with = WARPCLOCK_CUDA_INCLUDE_DEFAULT; !built_with.empty())
    folders.emplace_back(built_with);
  return folders;
}

/// The first folder, or part of one, that has this file.
std::optional<std::string> folder_with(const std::vector<fs::path>& folders, std::string_view file) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    for (const fs::path& part : {folder, folder / "cccl"}) {
      if (fs::exists(part / file, error)) return part.string();
    }
  }
  return std::nullopt;
}

/// Headers that NVRTC's built-in declarations replace.
constexpr auto built_in = std::to_array<std::string_view>({"cstdio", "stdio.h"});
/// Headers of C, by their names in C++.
constexpr auto of_c = std::to_array<std::string_view>(
    {"cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdlib", "cstring", "ctime"});
/// What libcu++ has of the C++ library.
constexpr auto of_cpp = std::to_array<std::string_view>(
    {"algorithm", "array",      "atomic",           "bit",      "bitset", "chrono", "complex",     "concepts",
     "expected",  "functional", "initializer_list", "iterator", "limits", "memory", "new",         "numbers",
     "numeric",   "optional",   "ranges",           "ratio",    "span",   "tuple",  "type_traits", "utility",
     "variant"});

/// libcu++ of some releases has a header under an inner name.
std::string forwarding(std::string_view name) {
  return fmt::format(
      "#pragma once\n"
      "#if __has_include(<cuda/std/__{0}_>) && !__has_include(<cuda/std/{0}>)\n"
      "#include <cuda/std/__{0}_>\n"
      "#else\n"
      "#include <cuda/std/{0}>\n"
      "#endif\n"
      "namespace cuda::std {{}}\n"  // some declare nothing
      "namespace std {{\nusing namespace cuda::std;\n}}\n",
      name);
}

struct Package {
  std::string_view start, name;
};

/// By how the names of their headers begin; the first that fits.
constexpr auto packages = std::to_array<Package>({{"cuda/", "nvidia-cuda-cccl"},
                                                  {"cub/", "nvidia-cuda-cccl"},
                                                  {"thrust/", "nvidia-cuda-cccl"},
                                                  {"nv/", "nvidia-cuda-cccl"},
                                                  {"crt/", "nvidia-cuda-crt"},
                                                  {"curand", "nvidia-curand"},
                                                  {"cublas", "nvidia-cublas"},
                                                  {"nvtx3/", "nvidia-nvtx"},
                                                  {"cooperative_groups", "nvidia-cuda-runtime"},
                                                  {"cuda", "nvidia-cuda-runtime"},
                                                  {"mma.h", "nvidia-cuda-runtime"},
                                                  {"vector_", "nvidia-cuda-runtime"},
                                                  {"sm_", "nvidia-cuda-runtime"}});

}  // namespace

std::vector<std::string> toolkit_includes() {
  const auto candidates = include_candidates();
  std::vector<std::string> folders;
  for (const std::string_view file : {"cuda_fp16.h", "cuda/std/cstdint"}) {
    const auto folder = folder_with(candidates, file);
    if (folder && std::ranges::find(folders, *folder) == folders.end()) folders.push_back(*folder);
  }
  return folders;
}

const std::vector<std::pair<std::string, std::string>>& standard_headers() {
  static const auto headers = [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string_view name : built_in) all.emplace_back(name, "#pragma once\n");
    for (const std::string_view name : of_c) {
      all.emplace_back(name, forwarding(name));
      all.emplace_back(fmt::format("{}.h", name.substr(1)), forwarding(name));
    }
    for (const std::string_view name : of_cpp) all.emplace_back(name, forwarding(name));
    return all;
  }();
  return headers;
}

bool is_toolkit_header(const std::string& name) {
  if (fs::path(name).is_absolute()) return false;
  const auto folders = toolkit_includes();
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    std::error_code error;
    return fs::is_regular_file(fs::path(folder) / name, error);
  });
}

std::string_view package_of_header(std::string_view compiler_says) {
  // NVRTC: cannot open source file "mma.h"; GCC: mma.h: No such file or directory.
  std::string_view name;
  if (const auto open = compiler_says.find("open source file \""); open != compiler_says.npos) {
    name = compiler_says.substr(compiler_says.find('"', open) + 1);
  } else if (compiler_says.find(": No such file or directory") != compiler_says.npos) {
    name = compiler_says;
  }
  const auto* const found =
      std::ranges::find_if(packages, [&](const Package& one) { return name.starts_with(one.start); });
  return found == packages.end() ? std::string_view{} : found->name;
}

}  // namespace warpclock
