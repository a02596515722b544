#include "compile/ptxas.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"

namespace warpclock {
namespace {

constexpr Tool ptxas_tool{.name = "ptxas",
                          .variable = "WARPCLOCK_PTXAS",
                          .built_with = WARPCLOCK_PTXAS_DEFAULT,
                          .fix = "install it with ./bootstrap, or name one with WARPCLOCK_PTXAS (it comes with nvcc)"};

}  // namespace

Expected<std::string> find_ptxas() { return find_tool(ptxas_tool, {}); }

Expected<std::string> ptxas_version(const std::string& path) { return tool_version(ptxas_tool, path); }

std::string ptxas_identity(const std::string& path) { return tool_identity(path); }

namespace {

/// Whether it failed for another reason than its source.
bool lacks_means(const ProcessResult& ran) {
  constexpr int not_executable = 126, not_loaded = 127;  // as shells and the loader of libraries have it
  return ran.signal != 0 || ran.exit_code == not_executable || ran.exit_code == not_loaded ||
         ran.err.contains("Memory allocation failure") || ran.err.contains("Could not open");
}

}  // namespace

Compilation assemble(const std::string& ptxas, const CompileRequest& request) {
  Compilation result;
  result.ptx = request.unit;
  if (request.target.is_ptx) {
    result.image = request.unit;
    result.status = Compilation::Status::Done;
    return result;
  }
  std::vector<std::string> command = {ptxas, fmt::format("-arch={}", to_string(request.target.arch)), "/dev/stdin",
                                      "-o", "/dev/stdout"};
  if (request.line_info) command.emplace_back("-lineinfo");
  auto ran = run_process(command, {.input = request.unit, .timeout = request.limit});
  if (!ran) {
    const bool late = ran.error().code == ErrorCode::Timeout;
    result.status = late ? Compilation::Status::Cancelled : Compilation::Status::Died;
    result.log = ran.error().text;
  } else if (ran->exit_code != 0 || ran->out.empty()) {
    if (lacks_means(*ran)) result.status = Compilation::Status::Died;
    result.log = trim(ran->err).empty() ? fmt::format("ptxas ended with status {} and no reason", ran->exit_code)
                                        : std::move(ran->err);
  } else {
    result.log = std::move(ran->err);
    result.image = std::move(ran->out);
    result.status = Compilation::Status::Done;
  }
  return result;
}

}  // namespace warpclock
