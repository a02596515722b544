#include "predict/memory/arguments.hpp"

#include <cstddef>

namespace warpclock {

void note_argument(const CallArgument& argument, ArgumentPlace place, LaunchShape& shape) {
  constexpr std::size_t word = 4;
  if (argument.bytes > 0) {
    shape.buffers[static_cast<int>(place.at)] = argument.bytes;
    shape.fills[static_cast<int>(place.at)] = argument;
    if (argument.fill == CallFill::Zeros || argument.fill == CallFill::Ones)
      shape.equal.insert(static_cast<int>(place.at));
    return;
  }
  const std::uint64_t bits = bits_of(argument.type, argument.value);
  for (std::size_t at = 0; at + word <= place.size; at += word)
    shape.words[static_cast<int>(place.at + at)] = static_cast<std::uint32_t>(bits >> 8 * at);
}

MemoryLevel level_of_buffers(std::int64_t bytes, std::int64_t l2_bytes, bool cold) {
  return !cold && (l2_bytes == 0 || bytes <= l2_bytes) ? MemoryLevel::L2 : MemoryLevel::Dram;
}

Expected<void> note_given(const GivenArguments& given, const KernelFacts& facts, LaunchShape& shape) {
  const auto arguments = WARPCLOCK_TRY(given_arguments(given, facts));
  for (const GivenArgument& one : arguments) {
    const ParameterPlace place = facts.parameters[static_cast<std::size_t>(one.number)];
    if (one.filled)
      note_argument(one.argument, {static_cast<std::size_t>(place.at), static_cast<std::size_t>(place.bytes)}, shape);
    else
      shape.buffers[place.at] = one.argument.bytes;
  }
  shape.arguments_known = !facts.parameters.empty() && arguments.size() == facts.parameters.size();
  return {};
}

}  // namespace warpclock
