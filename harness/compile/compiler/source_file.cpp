#include "compile/compiler/source_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/folder.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/compiler/toolkit_headers.hpp"

namespace warpclock {
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
