#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpclock {

/// The folders that may hold a CUDA Toolkit, or parts of one, in the order of search: $CUDAToolkit_ROOT, NVIDIA's
/// wheels in the Python environment that this program is installed in (nvidia/cu13), and the usual prefix.
[[nodiscard]] std::vector<std::filesystem::path> toolkit_folders();

/// A library of the CUDA Toolkit. It is loaded when it is first needed, so that the program also starts without it.
struct ToolkitLibrary {
  std::string_view name;                     ///< without the version: "libnvrtc.so"
  std::string_view built_with;               ///< the path found when this program was built; may be empty
  std::vector<std::string_view> companions;  ///< how libraries begin that it loads by name: "libnvrtc-builtins.so"
};

/// Loads the library of the release that this program was built for ("libnvrtc.so.13") and returns its handle for
/// dlsym(). Searched in this order: the one found when this program was built, toolkit_folders(), the folders of the
/// loader (LD_LIBRARY_PATH, ld.so.conf). The companions in its folder are loaded as well, because the loader would not
/// look for them there. It stays loaded. Error "toolkit" with the fix if there is none, or with the loader's reason.
[[nodiscard]] Expected<void*> load_library(const ToolkitLibrary& library);

/// Sets a pointer to the function `name` of a loaded library: null if the library lacks it.
template <class Function>
void load_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace warpclock
