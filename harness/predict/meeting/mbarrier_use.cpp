#include "predict/meeting/mbarrier_use.hpp"

#include <fmt/format.h>

#include "code/modifiers.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

/// Arrivals and bytes: A1T0 is one arrival, ART0 as many as the register says, A0TR and A0TX expect and complete so
/// many bytes; without such a word it is one arrival that expects the bytes in the register.
std::optional<MbarrierUse> arrival(const Instruction& instruction, const LaneOperation& operation) {
  using Number = MbarrierUse::Number;
  MbarrierUse use{.kind = MbarrierUse::Kind::Arrive, .address = operation.sources[0].text};
  use.number = operation.sources[1];
  const auto has = [&](const char* word) { return has_modifier(instruction, word); };
  use.number_is = has("ART0")                  ? Number::Arrivals
                  : has("A0TX")                ? Number::Copied
                  : has("A1T0") || has("A0T1") ? Number::None
                                               : Number::Bytes;
  use.arrives = !has("ART0") && !has("A0TX") && !has("A0TR") && !has("A0T1");
  return use;
}

/// The mbarrier of a copy is in the register after the one with its destination.
std::optional<MbarrierUse> copy(const Instruction& instruction, const LaneOperation& operation) {
  const std::string& to = operation.sources[0].text;
  if (!to.starts_with("[UR")) return std::nullopt;
  const auto reg = parse_register(to.substr(1, to.find_first_of("+]") - 1));
  if (!reg) return std::nullopt;
  MbarrierUse use{.kind = MbarrierUse::Kind::Copy, .address = fmt::format("[UR{}]", reg->index + 1)};
  if (instruction.opcode == "UBLKCP" && operation.sources.size() > 2) use.number = operation.sources[2];
  return use;
}

}  // namespace

std::optional<MbarrierUse> mbarrier_use(const Instruction& instruction) {
  const auto has = [&](const char* word) { return has_modifier(instruction, word); };
  const bool copies = (instruction.opcode == "UBLKCP" && has("S") && instruction.modifiers.size() >= 2 &&
                       instruction.modifiers[0] == "S" && instruction.modifiers[1] == "G") ||
                      instruction.opcode == "UTMALDG";
  if (!copies && instruction.opcode != "SYNCS") return std::nullopt;
  const LaneOperation operation = lane_operation(instruction);
  if (operation.sources.empty() || operation.sources[0].kind != LaneOperand::Kind::Address) return std::nullopt;
  if (copies) return copy(instruction, operation);
  if (operation.sources.size() < 2) return std::nullopt;
  if (has("ARRIVE")) return arrival(instruction, operation);
  if (has("EXCH"))
    return MbarrierUse{
        .kind = MbarrierUse::Kind::Initialize, .address = operation.sources[0].text, .number = operation.sources[1]};
  if (has("PHASECHK"))
    return MbarrierUse{.kind = MbarrierUse::Kind::Await,
                       .address = operation.sources[0].text,
                       .number = operation.sources[1],
                       .sleeps = has("TRYWAIT")};
  return std::nullopt;
}

std::int64_t initial_arrivals(std::uint32_t word) {
  constexpr std::int64_t most = 0x100000;
  return most - (word >> 1);
}

}  // namespace warpclock
