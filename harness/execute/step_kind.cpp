#include "execute/step_kind.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "code/listing.hpp"
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
    {"A0T1", Modifier::OneByte},
    {"NAN", Modifier::Nan},
    {"XORSIGN", Modifier::XorSign},
    {"RELU", Modifier::Relu},
    {"BF16_V2", Modifier::Bfloat},
    {"BF", Modifier::BooleanFloat},
    {"SATFINITE", Modifier::SaturateFinite},
    {"MERGE_C", Modifier::Merge},
    {"S16x2", Modifier::Halves},
    {"S16x2", Modifier::Signed},
    {"U16x2", Modifier::Halves},
    {"U16x2", Modifier::Unsigned},
    {"ACC", Modifier::Accumulate},
    {"H1_AND", Modifier::BothHalves},
    {"MULTICAST", Modifier::Multicast},
    {"LDGSTSBAR", Modifier::Landed},
    {"STRONG", Modifier::Strong},
    {"ARVCNT", Modifier::OneArrival},
    {"TRANSCNT", Modifier::Completes},
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
    {"INC", AtomicOperation::Increment},
    {"DEC", AtomicOperation::Decrement},
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

constexpr auto rounding_words = std::to_array<std::pair<std::string_view, Rounding>>({
    {"RZ", Rounding::Zero},
    {"RM", Rounding::Down},
    {"RP", Rounding::Up},
    {"TRUNC", Rounding::Zero},
    {"FLOOR", Rounding::Down},
    {"CEIL", Rounding::Up},
});

constexpr auto type_words = std::to_array<std::pair<std::string_view, ValueType>>({
    {"U8", ValueType::U8},
    {"S8", ValueType::S8},
    {"U16", ValueType::U16},
    {"S16", ValueType::S16},
    {"U32", ValueType::U32},
    {"S32", ValueType::S32},
    {"U64", ValueType::U64},
    {"S64", ValueType::S64},
    {"F16", ValueType::F16},
    {"BF16", ValueType::Bf16},
    {"F32", ValueType::F32},
    {"F64", ValueType::F64},
    {"E4M3", ValueType::E4m3},
    {"E5M2", ValueType::E5m2},
    {"TF32", ValueType::Tf32},
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
    {"ARRIVES", StepKind::Mbarrier},
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
    {"UTMASTG", StepKind::TensorStore},
    {"STAS", StepKind::CountedStore},
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
    step.modifiers |= static_cast<std::uint64_t>(Modifier::Matrices);
  if (step.access != StepAccess::Atomic || has_modifier(instruction, "CAST")) return;
  for (const std::string& word : instruction.modifiers) {
    for (const auto& [name, operation] : atomic_words)
      if (word == name) step.atomic = operation;
    // "F16x4", "64".
    const std::string_view type = std::string_view(word).substr(0, word.find('x'));
    for (const auto& [name, element] : type_words)
      if (type == name) step.element = element;
    if (word == "64") step.element = ValueType::U64;
  }
  if (has_modifier(instruction, "POPC")) step.atomic = AtomicOperation::Count;
}

/// "3D"; im2col copies have offsets as well, which are not followed.
std::uint8_t tensor_dimensions(const Instruction& instruction) {
  if (has_modifier(instruction, "IM2COL")) return 0;
  for (const std::string& word : instruction.modifiers)
    if (word.size() == 2 && word[1] == 'D' && word[0] >= '1' && word[0] <= '5')
      return static_cast<std::uint8_t>(word[0] - '0');
  return 0;
}

}  // namespace

StepKind step_kind(const Instruction& instruction) {
  // mbarrier.inval: no warp waits at the mbarrier any more.
  if (instruction.opcode == "SYNCS" && has_modifier(instruction, "CCTL")) return StepKind::Nothing;
  const auto* const found = std::ranges::find(kinds, instruction.opcode, &std::pair<std::string_view, StepKind>::first);
  if (found != kinds.end()) return found->second;
  return accesses(instruction) ? StepKind::Access : StepKind::Value;
}

void read_modifiers(const Instruction& instruction, CodeStep& step) {
  for (const std::string& word : instruction.modifiers) {
    for (const auto& [name, modifier] : modifier_words) {
      if (word == name) step.modifiers |= static_cast<std::uint64_t>(modifier);
    }
    for (const auto& [name, bits] : relation_words) {
      if (word == name) step.relation = static_cast<std::uint8_t>(bits);
    }
    for (const auto& [name, rounding] : rounding_words) {
      if (word == name) step.rounding = rounding;
    }
    for (const auto& [name, type] : type_words) {
      if (word == name) step.types[step.types[0] == ValueType::None ? 0 : 1] = type;
    }
  }
  if (step.kind == StepKind::Access) read_access(instruction, step);
  step.tensor = instruction.opcode == "UTMALDG";
  if (step.tensor || step.kind == StepKind::TensorStore) step.dimensions = tensor_dimensions(instruction);
  if (instruction.opcode == "LDGSTS" || step.kind == StepKind::CountedStore)
    step.bytes = static_cast<std::uint8_t>(access_of(instruction).value_or(Access{}).bytes);
}

}  // namespace warpclock
