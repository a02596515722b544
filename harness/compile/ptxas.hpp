#pragma once

#include <string>

#include "base/error.hpp"
#include "compile/nvrtc.hpp"

namespace warpclock {

/// Path of ptxas: $WARPCLOCK_PTXAS, the one found when this program was built, bin/ of $CUDAToolkit_ROOT and of the
/// usual prefix, PATH. Error "ptxas" with the fix.
[[nodiscard]] Expected<std::string> find_ptxas();

/// "13.0.88"; starts the program.
[[nodiscard]] Expected<std::string> ptxas_version(const std::string& path);

/// Tells one installed ptxas from another without starting it.
[[nodiscard]] std::string ptxas_identity(const std::string& path);

/// Assembles the PTX module `request.unit` as nvcc does, for the whole program (nvJitLink would make relocatable code
/// of it, which has other calls and other additions). For a PTX target the module is the image. ptxas is killed at
/// `limit`, and the answer is then Cancelled.
[[nodiscard]] Compilation assemble(const std::string& ptxas, const CompileRequest& request);

}  // namespace warpclock
