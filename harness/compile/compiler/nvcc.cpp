#include "compile/compiler/nvcc.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "base/files/paths.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "code/tool.hpp"

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

}  // namespace warpclock
