#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "code/listing.hpp"
#include "execute/forms/code_step.hpp"

namespace warpclock {

// The operands of an instruction as nvdisasm writes them. Each is nothing if the text is not such an operand.

/// "!P0", "UPT".
[[nodiscard]] std::optional<PredicateSource> predicate_operand(std::string_view text);
/// The place of "R4.reuse", "URZ".
[[nodiscard]] std::optional<std::uint16_t> register_operand(std::string_view text);
/// The last brackets of "desc[UR4][R2.64+0x80]" or "[R3+UR4+-0x10]".
[[nodiscard]] std::optional<AddressSource> address_operand(std::string_view text);
/// "SR_TID.X"; SpecialRegister::Unknown for others that begin with "SR".
[[nodiscard]] std::optional<SpecialRegister> special_operand(std::string_view text);

/// "c[0x0][0x210]", "c[0x3][R4+0x10]".
struct ConstantOperand {
  std::uint32_t bank = 0;
  AddressSource address;
};
[[nodiscard]] std::optional<ConstantOperand> constant_operand(std::string_view text);

/// How a number without "0x" is meant.
enum class NumberKind : std::uint8_t { Integer, Float, Half, Bfloat, Double };
/// That of the sources of an instruction.
[[nodiscard]] NumberKind number_kind(const Instruction& instruction);
/// Whether a source is two halves.
[[nodiscard]] bool has_halves(std::string_view opcode);
/// Whether a source may be a part of a register.
[[nodiscard]] bool converts(std::string_view opcode);
/// The bits of "-0x1f", "3.5" or "+INF".
[[nodiscard]] std::optional<std::uint64_t> number_operand(std::string_view text, NumberKind kind);

/// Notes the sign, the bars and the suffixes of a source and returns it without its sign and bars.
[[nodiscard]] std::string_view bare_operand(std::string_view text, WordSource& source);

}  // namespace warpclock
