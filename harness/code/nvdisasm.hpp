#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace warpclock {

/// Path of nvdisasm: `given` when not empty, $WARPCLOCK_NVDISASM, the one found when this program was built, bin/ of
/// $CUDAToolkit_ROOT and of the usual prefix, PATH. Error "nvdisasm" with the fix when there is none, or when the one
/// asked for by name is not a program.
[[nodiscard]] Expected<std::string> find_nvdisasm(const std::string& given = {});

/// "13.5.37"; starts the program (a third of a second).
[[nodiscard]] Expected<std::string> nvdisasm_version(const std::string& path);

/// Tells one installed nvdisasm from another without starting it: path, size and time of the file.
[[nodiscard]] std::string nvdisasm_identity(const std::string& path);

/// What `nvdisasm -hex -c` prints for a cubin file. Errors: "nvdisasm" with what it said and the fix; it is killed
/// after two minutes.
[[nodiscard]] Expected<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin_path);

/// What `nvdisasm -hex -b` prints for instructions that stand one behind the other from the address `base` on; `sm` is
/// as it wants to have it: "SM90a". Errors as of disassemble().
[[nodiscard]] Expected<std::string> disassemble_raw(const std::string& nvdisasm, const std::string& sm,
                                                    std::uint64_t base, const std::string& code);

}  // namespace warpclock
