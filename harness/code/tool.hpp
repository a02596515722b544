#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

/// A program of the CUDA Toolkit that is run as a process of its own.
struct Tool {
  std::string_view name;      ///< also the code of its errors
  std::string_view variable;  ///< of the environment, that names another one
  std::string_view built_with;
  std::string_view fix;  ///< what to do when it is not there
};

/// Its path: `given` when not empty, the environment variable's, the one found when this program was built, bin/ of
/// $CUDAToolkit_ROOT and of the usual prefix, PATH. An error with the fix when there is none, or when the one asked for
/// by name is not a program.
[[nodiscard]] Expected<std::string> find_tool(const Tool& tool, const std::string& given);

/// "13.5.37"; starts the program.
[[nodiscard]] Expected<std::string> tool_version(const Tool& tool, const std::string& path);

/// Tells one installed program from another without starting it: path, size and time of the file.
[[nodiscard]] std::string tool_identity(const std::string& path);

}  // namespace warpclock
