#pragma once

#include <string>
#include <string_view>

#include "ptx/describe.hpp"
#include "ptx/types.hpp"

namespace warpclock {

/// What must hold for any text, shared by the mutations and the fuzzer. Returns what is violated, or empty.
inline std::string broken_invariant(std::string_view text, const OpcodeTable& table) {
  const auto bad_error = [](const Error& error) {
    return !error.code.starts_with("ptx") || error.text.empty() || !error.place.contains(':');
  };
  const Expected<PtxLine> line = parse_ptx(text);
  if (!line) return bad_error(line.error()) ? "an error of parse_ptx without code, text or place" : "";
  const std::string written = to_string(*line);
  // The written text may be longer than the original.
  if (written.size() > max_ptx_bytes) return "";
  const Expected<PtxLine> again = parse_ptx(written);
  if (!again) return "to_string writes what parse_ptx refuses";
  if (to_string(*again) != written) return "to_string does not settle";

  const Expected<PtxInstruction> instruction = describe(*line, table);
  if (!instruction) return bad_error(instruction.error()) ? "an error of describe without code, text or place" : "";
  if (describe(*again, table) != *instruction) return "a line and its text are not the same instruction";
  for (const Operand& operand : instruction->operands) {
    if (operand.name.empty() || operand.type.empty() || operand.elements < 1 || operand.elements > 256) {
      return "an operand without name, type or elements";
    }
    if (operand.immediate.empty() != (operand.read || operand.written)) return "an operand that does nothing";
    if (!operand.address && operand.file != register_class(operand.type)) return "a class that is not the type's";
  }
  for (const Piece& piece : instruction->pieces) {
    if (piece.operand < 0) continue;
    if (static_cast<std::size_t>(piece.operand) >= instruction->operands.size()) return "a piece of no operand";
    const Operand& operand = instruction->operands[static_cast<std::size_t>(piece.operand)];
    if (piece.element < 0 || piece.element >= operand.elements) return "a piece of no element";
    if (!operand.immediate.empty()) return "a piece of a constant";
  }
  const Expected<PtxLine> canonical = parse_ptx(instruction->text);
  if (!canonical) return instruction->text.size() > max_ptx_bytes ? "" : "a canonical text that parse_ptx refuses";
  const Expected<PtxInstruction> same = describe(*canonical, table);
  if (!same || same->pieces != instruction->pieces) return "a canonical text that means something else";
  return "";
}

}  // namespace warpclock
