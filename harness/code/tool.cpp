#include "code/tool.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"

namespace warpclock {
namespace {

std::string variable(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::string{} : std::string(value);
}

bool is_program(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// The path of a name without a slash, found through PATH. Any other name already is a path. Empty elements of PATH
/// mean the current folder, in which others may have put a program of that name; they are skipped.
std::string resolved(const std::string& name) {
  if (name.find('/') != name.npos) return is_program(name) ? name : std::string{};
  for (const auto& folder : split(variable("PATH"), ':')) {
    if (std::string path = folder + "/" + name; !folder.empty() && is_program(path)) return path;
  }
  return {};
}

}  // namespace

Expected<std::string> find_tool(const Tool& tool, const std::string& given) {
  const std::string code(tool.name);
  for (const std::string& named : {given, variable(tool.variable)}) {
    if (named.empty()) continue;
    if (std::string path = resolved(named); !path.empty()) return path;
    return fail(code, fmt::format("'{}' is not a program; {}", named, tool.fix));
  }
  std::vector<std::string> places;
  if (!tool.built_with.empty()) places.emplace_back(tool.built_with);
  for (const auto& folder : toolkit_folders()) places.push_back((folder / "bin" / code).string());
  places.push_back(code);
  for (const auto& place : places) {
    if (std::string path = resolved(place); !path.empty()) return path;
  }
  return fail(code, fmt::format("there is no {}; {}", tool.name, tool.fix));
}

Expected<std::string> tool_version(const Tool& tool, const std::string& path) {
  const std::string code(tool.name);
  auto ran = run_process({path, "--version"}, {.input = {}, .timeout = std::chrono::seconds(30)});
  if (!ran) return fail(code, fmt::format("{}; {}", ran.error().text, tool.fix));
  // "Cuda compilation tools, release 13.5, V13.5.37"
  const auto at = ran->out.find(", V");
  if (ran->exit_code != 0 || at == ran->out.npos) {
    return fail(code, fmt::format("'{}' does not say its version; {}", path, tool.fix));
  }
  return std::string(trim(std::string_view(ran->out).substr(at + 3, ran->out.find('\n', at) - at - 3)));
}

std::string tool_identity(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return path;
  return fmt::format("{} {} {}.{}", path, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

}  // namespace warpclock
