#include "execute/code_program.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "code/listing.hpp"

namespace warpclock {
namespace {

bool reads_block_index(const CodeStep& step) {
  return std::ranges::any_of(step.words, [](const WordSource& source) {
    const auto which = static_cast<SpecialRegister>(source.number);
    return source.kind == WordSource::Kind::Special &&
           (which == SpecialRegister::CtaX || which == SpecialRegister::CtaY || which == SpecialRegister::CtaZ);
  });
}

/// Whether blocks may take different ways.
bool decided_by_block(const CodeSlice& path, const std::vector<CodeStep>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (path.needed[i] && reads_block_index(steps[i])) return true;
  }
  return path.global;
}

/// The bytes of the constant banks from a place on; nothing if one of them is not known.
std::optional<std::uint32_t> constant_bytes(const ExecutedLaunch& launch, std::uint32_t at, std::uint32_t bytes) {
  std::uint32_t value = 0;
  for (std::uint32_t k = 0; k < bytes; ++k) {
    const auto found = launch.constants.find((at + k) / register_bytes * register_bytes);
    if (found == launch.constants.end()) return std::nullopt;
    value |= (found->second >> 8 * ((at + k) % register_bytes) & 0xffU) << 8 * k;
  }
  return value;
}

/// Volatile and acquire loads, and atomics that return what was there.
bool may_change(const CodeStep& step) {
  const bool global = step.space == StepSpace::Global || step.space == StepSpace::Generic;
  return step.kind == StepKind::Access && global && step.needs_values && step.has(Modifier::Strong) &&
         step.access != StepAccess::Store;
}

/// Whether a step writes to the address of an access, or to the first operand of an atomic: what CAS compares with.
bool changes_operands(const CodeStep& step, const CodeStep& access) {
  const auto writes = [&](std::uint16_t place) {
    const bool zero = place % places::uniform == places::vector_zero;
    return !zero && std::ranges::find(step.writes, place) != step.writes.end();
  };
  const auto writes_address = [&](const AddressSource& from) {
    return writes(from.base) || writes(from.uniform) || (from.wide && writes(places::word_of(from.base, 1))) ||
           (from.uniform_wide && writes(places::word_of(from.uniform, 1)));
  };
  const bool atomic = access.access == StepAccess::Atomic && !access.words.empty();
  return std::ranges::any_of(access.addresses, writes_address) ||
         (atomic && access.words[0].kind == WordSource::Kind::Register && writes(access.words[0].place));
}

/// A loop that looks at the same place again and again does so until another block has written there. One that looks
/// at another place each time, or that changes the place by what it found there, is no such loop.
void note_polls(CodeProgram& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    CodeStep& jump = program.steps[i];
    if (jump.kind != StepKind::Jump || jump.target > i) continue;
    const auto begin = program.steps.begin();
    const std::span loop(begin + jump.target, begin + static_cast<std::ptrdiff_t>(i));
    for (CodeStep& one : loop) {
      const auto changes = [&](const CodeStep& each) { return changes_operands(each, one); };
      if (!may_change(one) || std::ranges::any_of(loop, changes)) continue;
      one.polls = jump.polls = program.polls = true;
    }
  }
}

}  // namespace

void set_constants(CodeProgram& program, const ExecutedLaunch& launch) {
  for (const PoolConstant& one : program.constants) {
    auto found = constant_bytes(launch, one.place, one.bytes);
    const auto sign = static_cast<std::uint32_t>((std::uint64_t{1} << (8 * one.bytes)) >> 1);
    if (found && one.with_sign) *found = (*found ^ sign) - sign;
    program.pool[one.number] = same_words(found.value_or(0));
    program.known_pool[one.number] = found.has_value();
  }
}

CodeProgram code_program(const LoadedKernel& kernel, const ExecutedLaunch& launch, Follow follow) {
  CodeProgram program{.follow = follow};
  const std::size_t count = kernel.listing.instructions.size();
  std::vector<CodeStep> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(code_step(kernel.listing, i, launch, program));
  const CodeSlice path = slice_of(kernel, all, Follow::Path);
  const CodeSlice slice = follow == Follow::Path ? path : slice_of(kernel, all, follow);
  program.path_by_block = decided_by_block(path, all);
  program.values_of_memory = slice.global;
  program.values_of_shared = slice.shared, program.values_of_local = slice.local;
  program.step_at.resize(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    program.step_at[i] = static_cast<std::uint32_t>(program.steps.size());
    if (!slice.needed[i]) continue;
    all[i].needs_values = slice.values[i];
    program.steps.push_back(std::move(all[i]));
  }
  // Whoever comes here has left the kernel.
  program.step_at[count] = static_cast<std::uint32_t>(program.steps.size());
  program.steps.push_back({.index = static_cast<std::uint32_t>(count), .kind = StepKind::Unfollowed});
  for (CodeStep& step : program.steps) step.target = program.step_at[std::min<std::size_t>(step.target_index, count)];
  note_polls(program);
  set_constants(program, launch);
  return program;
}

}  // namespace warpclock
