#include "predict/meeting/mbarrier_use.hpp"

#include <algorithm>
#include <string>

#include "code/listing.hpp"
#include "code/semantics.hpp"

namespace warpclock {

std::optional<MbarrierUse> mbarrier_use(const Instruction& instruction) {
  const auto has = [&](const char* word) { return has_modifier(instruction, word); };
  const bool copies = (instruction.opcode == "UBLKCP" && has("S") && instruction.modifiers.size() >= 2 &&
                       instruction.modifiers[0] == "S" && instruction.modifiers[1] == "G") ||
                      instruction.opcode == "UTMALDG";
  if (instruction.opcode == "ARRIVES") return MbarrierUse{MbarrierUse::Kind::Arrive};
  if (!copies && instruction.opcode != "SYNCS") return std::nullopt;
  const auto& operands = instruction.operands;
  const auto address = std::ranges::find_if(operands, [](const std::string& one) { return one.contains('['); });
  if (address == operands.end()) return std::nullopt;
  if (copies) return address->starts_with("[UR") ? std::optional(MbarrierUse{MbarrierUse::Kind::Copy}) : std::nullopt;
  const auto number = std::next(address);
  if (number == operands.end()) return std::nullopt;
  MbarrierUse use;
  if (has("EXCH"))
    use.kind = MbarrierUse::Kind::Initialize;
  else if (has("PHASECHK"))
    use.kind = MbarrierUse::Kind::Await, use.sleeps = has("TRYWAIT");
  else if (!has("ARRIVE"))
    return std::nullopt;
  use.numbered = parse_register(std::string_view(*number).substr(0, number->find('.'))).has_value();
  return use;
}

}  // namespace warpclock
