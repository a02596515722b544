#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace warpclock {

/// Size in bits of a value of a PTX type ("f32", "e4m3x2", "pred"); 0 for a word that is not a type. A pred has one
/// bit.
[[nodiscard]] int type_bits(std::string_view word);

/// Whether a modifier looks like a type, known or not: "f23", "u33x2".
[[nodiscard]] bool is_like_type(std::string_view word);

/// Every type word, for suggestions.
[[nodiscard]] const std::vector<std::string>& type_names();

/// The register class for a value of a known type. 8-bit values are held in 32-bit registers, as ld, st and cvt allow
/// (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
[[nodiscard]] RegisterClass register_class(std::string_view type);

/// Bits of the registers to which compilers give names like this: "%rd4" has 64; 0 for other names.
[[nodiscard]] int bits_by_name(std::string_view name);

/// Whether a name denotes a read-only value of the machine: "%tid.x", "%clock64", "WARP_SZ".
[[nodiscard]] bool is_special_register(std::string_view name);

}  // namespace warpclock
