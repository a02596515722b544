#include "code/toolkit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

#include "base/files/paths.hpp"

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
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    if (std::ranges::any_of(library.companions, [&](std::string_view start) { return name.starts_with(start); }))
      dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
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

}  // namespace warpclock
