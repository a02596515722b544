#include "execute/code_program.hpp"

#include <algorithm>
#include <optional>
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
  set_constants(program, launch);
  return program;
}

}  // namespace warpclock
