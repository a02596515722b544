#pragma once

#include <string>

#include "base/error.hpp"
#include "compile/compiler/compilation.hpp"

namespace warpclock {

/// Path of nvcc. Searched in this order: $WARPCLOCK_NVCC, the one found when this program was built, bin/ of
/// toolkit_folders(), PATH. Error "nvcc" with the fix.
[[nodiscard]] Expected<std::string> find_nvcc();

/// Compiles the device code of the file `request.name` by `request.nvcc`, for the compiler process
/// (compile/compiler/compiler.hpp) alone. nvcc starts a host compiler and reads headers of the host, so host code does
/// not matter. Temporary files, and the result before it is read, are in `request.folder`.
[[nodiscard]] Compilation compile_by_nvcc(const CompileRequest& request);

}  // namespace warpclock
