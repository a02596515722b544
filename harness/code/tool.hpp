#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpclock {

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

}  // namespace warpclock
