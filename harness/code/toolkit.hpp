#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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

/// A program of the CUDA Toolkit that runs as a separate process.
struct Tool {
  std::string_view name;      ///< also the code of its errors
  std::string_view variable;  ///< environment variable that names another one
  std::string_view built_with;
  std::string_view fix;  ///< what to do if it is missing
};

/// The path of the program. Searched in this order: `given` if not empty, the environment variable, the one found when
/// this program was built, bin/ of toolkit_folders(), PATH. Error with the fix if there is none, or if the one
/// requested by name is not a program.
[[nodiscard]] Expected<std::string> find_tool(const Tool& tool, const std::string& given);

/// "13.5.37". Starts the program.
[[nodiscard]] Expected<std::string> tool_version(const Tool& tool, const std::string& path);

/// Distinguishes installed programs without starting them: path, size and time of the file.
[[nodiscard]] std::string tool_identity(const std::string& path);

/// Path of nvdisasm. Searched in this order: `given` if not empty, $WARPCLOCK_NVDISASM, the one found when this program
/// was built, bin/ of $CUDAToolkit_ROOT and of the usual prefix, PATH. Error "nvdisasm" with the fix if there is none,
/// or if the one requested by name is not a program.
[[nodiscard]] Expected<std::string> find_nvdisasm(const std::string& given = {});

/// "13.5.37". Starts the program, which takes a third of a second.
[[nodiscard]] Expected<std::string> nvdisasm_version(const std::string& path);

/// Distinguishes installed nvdisasm programs without starting them: path, size and time of the file.
[[nodiscard]] std::string nvdisasm_identity(const std::string& path);

/// The output of `nvdisasm -hex -c` for a cubin file. Error "nvdisasm" with its message and the fix. The program is
/// killed after two minutes.
[[nodiscard]] Expected<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin_path);

/// The output of `nvdisasm -hex -c -g` for a cubin: where it has line information, comments `//## File "a.cu", line 3`
/// come before the instructions of a line. Of all of its functions, or of that with this index among its symbols.
/// Errors as for disassemble().
[[nodiscard]] Expected<std::string> disassemble_with_lines(const std::string& nvdisasm, const std::string& cubin,
                                                           std::optional<std::size_t> symbol = {});

/// The output of `nvdisasm -hex -b` for consecutive instructions from the address `base` on. `sm` is written as
/// nvdisasm expects it: "SM90a". Errors as for disassemble(), with all lines of the message: there is one for each word
/// that nvdisasm rejects.
[[nodiscard]] Expected<std::string> disassemble_raw(const std::string& nvdisasm, const std::string& sm,
                                                    std::uint64_t base, const std::string& code);

}  // namespace warpclock
