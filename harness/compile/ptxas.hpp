#pragma once

#include <string>

#include "base/error.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {

/// Path of ptxas. Searched in this order: $WARPCLOCK_PTXAS, the one found when this program was built, bin/ of
/// $CUDAToolkit_ROOT and of the usual prefix, PATH. Error "ptxas" with the fix.
[[nodiscard]] Expected<std::string> find_ptxas();

/// "13.0.88". Starts the program.
[[nodiscard]] Expected<std::string> ptxas_version(const std::string& path);

/// Distinguishes installed ptxas programs without starting them.
[[nodiscard]] std::string ptxas_identity(const std::string& path);

/// Assembles the PTX module `request.unit` as nvcc does for whole-program compilation. (nvJitLink would make
/// relocatable code, which has other calls and other additions.) For a PTX target the module itself is the image. ptxas
/// is killed after `limit`, and the result is then Cancelled.
[[nodiscard]] Compilation assemble(const std::string& ptxas, const CompileRequest& request);

}  // namespace warpclock
