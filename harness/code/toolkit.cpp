#include "code/toolkit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace warpclock {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view toolkit_fix =
    "install the CUDA Toolkit and set CUDAToolkit_ROOT to its folder, or install warpclock by pip, which fetches what "
    "it needs";

/// "13" of "13.0".
std::string_view toolkit_major() {
  constexpr std::string_view version = WARPCLOCK_TOOLKIT_VERSION;
  return version.substr(0, version.find('.'));
}

std::vector<fs::path> candidates(const ToolkitLibrary& library) {
  std::vector<fs::path> paths;
  if (!library.built_with.empty()) paths.emplace_back(library.built_with);
  constexpr std::array<const char*, 5> places = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                                                 "extras/CUPTI/lib64"};
  for (const fs::path& folder : toolkit_folders()) {
    for (const char* place : places)
      paths.push_back(folder / place / fmt::format("{}.{}", library.name, toolkit_major()));
  }
  return paths;
}

/// With RTLD_DEEPBIND, as CUPTI opens its own.
void load_companions(const ToolkitLibrary& library, const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (std::ranges::any_of(library.companions, [&](std::string_view start) { return name.starts_with(start); }))
      dlopen(file->path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  }
}

std::string loader_says(const std::string& otherwise) {
  const char* why = dlerror();
  return why == nullptr ? otherwise : why;
}

}  // namespace

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  if (const char* root = std::getenv("CUDAToolkit_ROOT"); root != nullptr && *root != '\0') folders.emplace_back(root);
  // The program of the Python package is site-packages/warpclock/bin/warpclock. Beside any other program, others may
  // have put a folder of that name.
  const fs::path program = program_folder();
  if (program.filename() == "bin" && program.parent_path().filename() == "warpclock")
    folders.push_back(program.parent_path().parent_path() / "nvidia" / fmt::format("cu{}", toolkit_major()));
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

Expected<void*> load_library(const ToolkitLibrary& library) {
  const std::string name = fmt::format("{}.{}", library.name, toolkit_major());
  std::string broken;
  for (const fs::path& path : candidates(library)) {
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      load_companions(library, path.parent_path());
      return handle;
    }
    if (broken.empty()) broken = loader_says(path.string());
  }
  if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  if (!broken.empty()) return fail("toolkit", fmt::format("cannot load {} ({}); {}", name, broken, toolkit_fix));
  return fail("toolkit", fmt::format("there is no {}; {}", name, toolkit_fix));
}

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

namespace {

constexpr std::string_view fix =
    "install it with ./bootstrap, or name one with --nvdisasm or WARPCLOCK_NVDISASM (it comes with the CUDA Toolkit)";

constexpr Tool nvdisasm_tool{
    .name = "nvdisasm", .variable = "WARPCLOCK_NVDISASM", .built_with = WARPCLOCK_NVDISASM_DEFAULT, .fix = fix};

/// Of its message, an error has the first line, or all of them.
enum class Message { First, Whole };

Expected<std::string> said(const std::vector<std::string>& command, const std::string& input,
                           Message message = Message::First) {
  // A word of 16 bytes becomes two lines of text, and with lines of sources some more.
  constexpr std::size_t text_per_byte = 64;
  ProcessOptions options{.input = input, .timeout = std::chrono::minutes(2)};
  options.most_output += text_per_byte * input.size();
  auto ran = run_process(command, options);
  if (!ran) return fail(ran.error().code, fmt::format("{}; {}", ran.error().text, fix));
  if (ran->exit_code != 0) {
    const std::string_view all = trim(ran->err.empty() ? ran->out : ran->err);
    const std::string words =
        message == Message::Whole ? replace_all(all, "\n", "; ") : std::string(all.substr(0, all.find('\n')));
    return fail("nvdisasm", fmt::format("nvdisasm ended with status {}: {}. If it is older than NVRTC, {}",
                                        ran->exit_code, words.empty() ? "no message" : words, fix));
  }
  return std::move(ran->out);
}

}  // namespace

Expected<std::string> find_nvdisasm(const std::string& given) { return find_tool(nvdisasm_tool, given); }

Expected<std::string> nvdisasm_version(const std::string& path) { return tool_version(nvdisasm_tool, path); }

std::string nvdisasm_identity(const std::string& path) { return tool_identity(path); }

Expected<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin_path) {
  return said({nvdisasm, "-hex", "-c", "-ndf", cubin_path}, {});
}

Expected<std::string> disassemble_with_lines(const std::string& nvdisasm, const std::string& cubin,
                                             std::optional<std::size_t> symbol) {
  std::vector<std::string> command = {nvdisasm, "-hex", "-c", "-g", "-ndf", "/dev/stdin"};
  if (symbol) command.insert(command.end(), {"-fun", std::to_string(*symbol)});
  return said(command, cubin);
}

Expected<std::string> disassemble_raw(const std::string& nvdisasm, const std::string& sm, std::uint64_t base,
                                      const std::string& code) {
  return said({nvdisasm, "-hex", "-b", sm, "-base", fmt::format("{:#x}", base), "/dev/stdin"}, code, Message::Whole);
}

}  // namespace warpclock
