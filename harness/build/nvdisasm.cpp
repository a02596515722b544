#include "build/nvdisasm.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

constexpr std::string_view fix =
    "install it with ./bootstrap, or name one with --nvdisasm or WARPCLOCK_NVDISASM (it comes with the CUDA Toolkit)";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string(value);
}

bool is_program(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// The path that a name without a slash has through PATH; any other name is a path already.
std::string resolved(const std::string& name) {
  if (name.find('/') != name.npos) return is_program(name) ? name : std::string{};
  for (const auto& folder : split(variable("PATH"), ':')) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(path)) return path;
  }
  return {};
}

}  // namespace

Expected<std::string> find_nvdisasm(const std::string& given) {
  for (const std::string& named : {given, variable("WARPCLOCK_NVDISASM")}) {
    if (named.empty()) continue;
    if (std::string path = resolved(named); !path.empty()) return path;
    return fail("nvdisasm", fmt::format("'{}' is not a program; {}", named, fix));
  }
  std::vector<std::string> places;
#ifdef WARPCLOCK_NVDISASM_DEFAULT
  places.emplace_back(WARPCLOCK_NVDISASM_DEFAULT);
#endif
  if (const std::string root = variable("CUDAToolkit_ROOT"); !root.empty()) places.push_back(root + "/bin/nvdisasm");
  places.insert(places.end(), {"/usr/local/cuda/bin/nvdisasm", "nvdisasm"});
  for (const auto& place : places) {
    if (std::string path = resolved(place); !path.empty()) return path;
  }
  return fail("nvdisasm", fmt::format("there is no nvdisasm; {}", fix));
}

Expected<std::string> nvdisasm_version(const std::string& path) {
  auto ran = run_process({path, "--version"}, {.input = {}, .timeout = std::chrono::seconds(30)});
  if (!ran) return fail("nvdisasm", fmt::format("{}; {}", ran.error().text, fix));
  // "Cuda compilation tools, release 13.5, V13.5.37"
  const auto at = ran->out.find(", V");
  if (ran->exit_code != 0 || at == ran->out.npos) {
    return fail("nvdisasm", fmt::format("'{}' does not say its version; {}", path, fix));
  }
  return std::string(trim(std::string_view(ran->out).substr(at + 3, ran->out.find('\n', at) - at - 3)));
}

std::string nvdisasm_identity(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return path;
  return fmt::format("{} {} {}.{}", path, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

Expected<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin_path) {
  auto ran =
      run_process({nvdisasm, "-hex", "-c", "-ndf", cubin_path}, {.input = {}, .timeout = std::chrono::minutes(2)});
  if (!ran) return fail("nvdisasm", fmt::format("{}; {}", ran.error().text, fix));
  if (ran->exit_code != 0) {
    const std::string_view said = trim(ran->err.empty() ? ran->out : ran->err);
    return fail("nvdisasm",
                fmt::format("nvdisasm ended with status {}: {}. If it is older than NVRTC, {}", ran->exit_code,
                            said.empty() ? "no message" : said.substr(0, said.find('\n')), fix));
  }
  return std::move(ran->out);
}

}  // namespace warpclock
