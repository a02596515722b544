#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace warpclock {

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
