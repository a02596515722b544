#include "execute/step_kind.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "code/modifiers.hpp"
#include "inspect/facts.hpp"

namespace warpclock {
namespace {

constexpr auto modifier_words = std::to_array<std::pair<std::string_view, Modifier>>({
    {"X", Modifier::X},
    {"EX", Modifier::Ex},
    {"U32", Modifier::Unsigned},
    {"HI", Modifier::High},
    {"L", Modifier::Left},
    {"W", Modifier::Wrap},
    {"WIDE", Modifier::Wide},
    {"SX32", Modifier::SignExtended},
    {"64", Modifier::Bits64},
    {"U64", Modifier::Bits64},
    {"S64", Modifier::Bits64},
    {"FTZ", Modifier::Flush},
    {"SAT", Modifier::Saturate},
    {"AND", Modifier::And},
    {"PAND", Modifier::And},
    {"OR", Modifier::Or},
    {"XOR", Modifier::Xor},
    {"S32", Modifier::Signed},
    {"S64", Modifier::Signed},
    {"S8", Modifier::Signed},
    {"S16", Modifier::Signed},
    {"SH", Modifier::Shift},
    {"SYNC", Modifier::Sync},
    {"ARV", Modifier::Arrive},
    {"ARRIVE", Modifier::Arrive},
    {"RED", Modifier::Reduce},
    {"ALL", Modifier::All},
    {"MT88", Modifier::Transposed},
    {"DIV", Modifier::Divergent},
    {"COLLECTIVE", Modifier::Collective},
    {"EXCH", Modifier::Initialize},
    {"PHASECHK", Modifier::Await},
    {"A1T0", Modifier::OneArrival},
    {"ART0", Modifier::Arrivals},
    {"A0TR", Modifier::NoArrival},
    {"A0TX", Modifier::Completes},
    {"A0T1", Modifier::NoBytes},
});

constexpr auto atomic_words = std::to_array<std::pair<std::string_view, AtomicOperation>>({
    {"ADD", AtomicOperation::Add},
    {"MIN", AtomicOperation::Least},
    {"MAX", AtomicOperation::Most},
    {"AND", AtomicOperation::And},
    {"OR", AtomicOperation::Or},
    {"XOR", AtomicOperation::Xor},
    {"EXCH", AtomicOperation::Exchange},
    {"CAS", AtomicOperation::CompareAndSwap},
    {"POPC", AtomicOperation::Count},
});

/// What comparisons are true for; with U, also where a number is none.
constexpr auto relation_words = std::to_array<std::pair<std::string_view, unsigned>>({
    {"LT", relation::less},
    {"EQ", relation::equal},
    {"LE", relation::less | relation::equal},
    {"GT", relation::greater},
    {"NE", relation::less | relation::greater},
    {"GE", relation::greater | relation::equal},
    {"LTU", relation::less | relation::unordered},
    {"EQU", relation::equal | relation::unordered},
    {"LEU", relation::less | relation::equal | relation::unordered},
    {"GTU", relation::greater | relation::unordered},
    {"NEU", relation::less | relation::greater | relation::unordered},
    {"GEU", relation::greater | relation::equal | relation::unordered},
    {"NUM", relation::less | relation::equal | relation::greater},
    {"NAN", relation::unordered},
    {"T", relation::less | relation::equal | relation::greater | relation::unordered},
    {"F", 0},
});

constexpr auto kinds = std::to_array<std::pair<std::string_view, StepKind>>({
    {"BRA", StepKind::Jump},
    {"EXIT", StepKind::Exit},
    {"CALL", StepKind::Call},
    {"RET", StepKind::Return},
    {"BSSY", StepKind::SetConvergence},
    {"BSYNC", StepKind::Converge},
    {"BREAK", StepKind::Break},
    {"BMOV", StepKind::MoveConvergence},
    {"WARPSYNC", StepKind::WarpSync},
    {"BAR", StepKind::Barrier},
    {"B2R", StepKind::BarrierResult},
    {"SYNCS", StepKind::Mbarrier},
    {"LDGSTS", StepKind::Copy},
    {"UBLKCP", StepKind::Copy},
    {"UTMALDG", StepKind::Copy},
    {"BRX", StepKind::Unfollowed},
    {"BRXU", StepKind::Unfollowed},
    {"JMP", StepKind::Unfollowed},
    {"JMX", StepKind::Unfollowed},
    {"KILL", StepKind::Exit},
    {"UCGABAR_ARV", StepKind::ClusterArrive},
    {"UCGABAR_WAIT", StepKind::ClusterWait},
    {"BPT", StepKind::Unfollowed},
    {"RPCMOV", StepKind::Unfollowed},
});

/// Loads, stores and atomics of the memory that is followed.
bool accesses(const Instruction& instruction) {
  const auto access = access_of(instruction);
  return access && access->bytes > 0 &&
         (access->memory == "global" || access->memory == "generic" || access->memory == "shared" ||
          access->memory == "local") &&
         (access->kind == "load" || access->kind == "store" || access->kind == "atomic");
}

void read_access(const Instruction& instruction, CodeStep& step) {
  const Access access = access_of(instruction).value_or(Access{});
  step.bytes = static_cast<std::uint8_t>(access.bytes);
  step.space = access.memory == "global"   ? StepSpace::Global
               : access.memory == "shared" ? StepSpace::Shared
               : access.memory == "local"  ? StepSpace::Local
                                           : StepSpace::Generic;
  step.access = access.kind == "load"    ? StepAccess::Load
                : access.kind == "store" ? StepAccess::Store
                                         : StepAccess::Atomic;
  if (instruction.opcode == "LDSM" || instruction.opcode == "STSM")
    step.modifiers |= static_cast<std::uint32_t>(Modifier::Matrices);
  const bool floats =
      std::ranges::any_of(instruction.modifiers, [](const std::string& word) { return word.contains('F'); });
  if (step.access != StepAccess::Atomic || floats) return;
  for (const auto& [name, operation] : atomic_words) {
    if (has_modifier(instruction, name)) step.atomic = operation;
  }
}

}  // namespace

StepKind step_kind(const Instruction& instruction) {
  const auto* const found = std::ranges::find(kinds, instruction.opcode, &std::pair<std::string_view, StepKind>::first);
  if (found != kinds.end()) return found->second;
  return accesses(instruction) ? StepKind::Access : StepKind::Value;
}

void read_modifiers(const Instruction& instruction, CodeStep& step) {
  for (const std::string& word : instruction.modifiers) {
    for (const auto& [name, modifier] : modifier_words) {
      if (word == name) step.modifiers |= static_cast<std::uint32_t>(modifier);
    }
    for (const auto& [name, bits] : relation_words) {
      if (word == name) step.relation = static_cast<std::uint8_t>(bits);
    }
  }
  if (step.kind == StepKind::Access) read_access(instruction, step);
  step.tensor = instruction.opcode == "UTMALDG";
  if (instruction.opcode == "LDGSTS")
    step.bytes = static_cast<std::uint8_t>(access_of(instruction).value_or(Access{}).bytes);
}

}  // namespace warpclock
