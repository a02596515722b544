#include "compile/compiler/source_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
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

namespace {

constexpr Tool nvcc_tool{.name = "nvcc",
                         .variable = "WARPCLOCK_NVCC",
                         .built_with = WARPCLOCK_NVCC_DEFAULT,
                         .fix = "install the CUDA Toolkit's, or name one with WARPCLOCK_NVCC"};

std::vector<std::string> command_of(const CompileRequest& request, const std::string& out) {
  // What many sources need besides the standard; neither changes the code of one that does without.
  std::vector<std::string> command = {request.nvcc,
                                      request.target.is_ptx ? "-ptx" : "-cubin",
                                      fmt::format("-arch={}", to_string(request.target.arch)),
                                      "-std=c++17",
                                      "--expt-relaxed-constexpr",
                                      "--extended-lambda",
                                      "-o",
                                      out};
  if (request.line_info) command.emplace_back("-lineinfo");
  command.insert(command.end(), request.options.begin(), request.options.end());
  command.push_back(request.name.starts_with('-') ? "./" + request.name : request.name);
  return command;
}

}  // namespace

Expected<std::string> find_nvcc() { return find_tool(nvcc_tool, {}); }

Compilation compile_by_nvcc(const CompileRequest& request) {
  // This process serves one request at a time. Who asks removes the folder, also after a kill.
  setenv("TMPDIR", request.folder.c_str(), 1);
  const std::string out = request.folder + "/out";
  Compilation result;
  auto ran = run_process(command_of(request, out));
  if (!ran) {
    result.log = ran.error().text;
    return result;
  }
  // nvcc passes on what the host compiler writes to either.
  result.log = std::move(ran->err) + std::move(ran->out);
  if (ran->exit_code != 0) {
    if (trim(result.log).empty()) result.log = fmt::format("nvcc ended with status {} and no reason", ran->exit_code);
    return result;
  }
  auto image = read_file(out);
  if (!image) {
    result.log = image.error().message();
    return result;
  }
  result.image = *std::move(image);
  if (request.target.is_ptx) result.ptx = result.image;
  result.status = Compilation::Status::Done;
  return result;
}

namespace {

CompileRequest request_for(const SourceFile& source) {
  CompileRequest request;
  request.target = source.target;
  request.line_info = true;
  request.limit = source.limit;
  request.name = source.path.string();
  for (const std::string& folder : source.include) request.options.push_back("--include-path=" + folder);
  for (const std::string& macro : source.defines) request.options.push_back("--define-macro=" + macro);
  return request;
}

Compilation by_nvrtc(const SourceFile& source) {
  CompileRequest request = request_for(source);
  request.unit = source.text;
  request.headers = standard_headers();
  for (const std::string& folder : toolkit_includes()) request.options.push_back("--include-path=" + folder);
  return compile(request);
}

/// nvcc has headers of its own beside it.
Expected<Compilation> by_nvcc(const SourceFile& source, const std::string& nvcc) {
  const auto folder = WARPCLOCK_TRY(TemporaryFolder::make());
  CompileRequest request = request_for(source);
  request.nvcc = nvcc;
  request.folder = folder.path();
  return compile(request);
}

/// What to do about a header that was not found.
std::string header_advice(const Error& error) {
  const std::string_view package = package_of_header(error.text);
  if (!package.empty())
    return fmt::format("install NVIDIA's package {} beside the compiler, or give the header's folder by --include",
                       package);
  const bool lacks_header = error.text.find("open source file") != std::string::npos ||
                            error.text.find("No such file or directory") != std::string::npos;
  return lacks_header ? "give the header's folder by --include" : "";
}

Error refused(const Error& by_nvrtc, const Error& no_nvcc) {
  Error error = by_nvrtc;
  const std::string advice = header_advice(by_nvrtc);
  error.text += fmt::format(" (said NVRTC {}, which compiles device code alone; {}nvcc compiles any file, but {})",
                            nvrtc_version(), advice.empty() ? "" : advice + "; ", no_nvcc.text);
  return error;
}

Error refused_by_both(const Error& by_nvrtc, const Compilation& compiled, const std::string& nvcc) {
  Error error = compile_error(compiled);
  if (compiled.status == Compilation::Status::Cancelled) error.text = "the compilation took more than a minute";
  const std::string advice = header_advice(error);
  error.text += fmt::format(" (said {}{}{}; NVRTC {} had said: {})", nvcc, advice.empty() ? "" : "; ", advice,
                            nvrtc_version(), by_nvrtc.message());
  return error;
}

}  // namespace

Expected<CompiledSource> compile_file(const SourceFile& source) {
  Compilation first = by_nvrtc(source);
  if (first.status == Compilation::Status::Done) return CompiledSource{std::move(first.image)};
  if (first.status == Compilation::Status::Cancelled)
    return fail("compile-error", "the compilation was stopped after a minute: make a cubin by nvcc -cubin");
  const Error by_nvrtc = compile_error(first);
  if (first.status == Compilation::Status::Died) return std::unexpected(by_nvrtc);
  const auto nvcc = find_nvcc();
  if (!nvcc) return std::unexpected(refused(by_nvrtc, nvcc.error()));
  Compilation second = WARPCLOCK_TRY(by_nvcc(source, *nvcc));
  if (second.status == Compilation::Status::Done) return CompiledSource{std::move(second.image), true};
  return std::unexpected(refused_by_both(by_nvrtc, second, *nvcc));
}

}  // namespace warpclock
