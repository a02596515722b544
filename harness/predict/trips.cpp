#include <algorithm>
#include <ranges>
#include <string>

#include "code/flow.hpp"
#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "predict/kernel_loops.hpp"
#include "predict/memory/constants.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_counted = 100'000'000;

/// What it adds to its own result.
std::optional<std::int64_t> step_of(const Instruction& instruction, const std::string& counter) {
  const auto& operands = instruction.operands;
  const bool adds = instruction.opcode == "VIADD" || instruction.opcode == "IADD3" || instruction.opcode == "UIADD3";
  if (!adds || operands.size() < 3 || operands[0] != counter || operands[1] != counter) return std::nullopt;
  const bool alone = operands.size() == 3 || (operands.size() == 4 && (operands[3] == "RZ" || operands[3] == "URZ"));
  return alone ? immediate_of(operands[2]) : std::nullopt;
}

std::optional<bool> compared(const Instruction& comparison, std::int64_t a, std::int64_t b) {
  if (has_modifier(comparison, "NE")) return a != b;
  if (has_modifier(comparison, "EQ")) return a == b;
  if (has_modifier(comparison, "LT")) return a < b;
  if (has_modifier(comparison, "LE")) return a <= b;
  if (has_modifier(comparison, "GT")) return a > b;
  if (has_modifier(comparison, "GE")) return a >= b;
  return std::nullopt;
}

/// The last instruction before `end`, and not before `first`, that writes the register.
std::optional<std::size_t> last_writer(const Listing& listing, std::size_t first, std::size_t end,
                                       const std::string& reg) {
  for (std::size_t i = end; i > first; --i) {
    const Effects effects = effects_of(listing.instructions[i - 1]);
    if (std::ranges::any_of(effects.writes, [&](Register one) { return to_string(one) == reg; })) return i - 1;
  }
  return std::nullopt;
}

/// Trips of a loop whose counter begins with `value` and grows by `step`, before the comparison with `bound` if
/// `early`. They are not counted one by one: a loop that never ends would take seconds.
template <class Ends>
std::optional<std::int64_t> trips_until(std::int64_t value, std::int64_t step, std::int64_t bound, bool early,
                                        const Ends& ends) {
  constexpr std::int64_t most_number = std::int64_t{1} << 32;  // a counter has 32 bits
  for (const std::int64_t number : {value, step, bound}) {
    if (number < -most_number || number > most_number) return std::nullopt;
  }
  if (early) value += step;
  if (!ends(value)) return std::nullopt;
  if (*ends(value)) return 1;
  std::int64_t more = most_counted;
  if (*ends(bound) && !*ends(bound - 1) && !*ends(bound + 1)) {
    const std::int64_t distance = bound - value;
    if (step != 0 && distance % step == 0 && distance / step > 0) more = distance / step;
  } else {
    more = *std::ranges::partition_point(std::views::iota(std::int64_t{0}, most_counted),
                                         [&](std::int64_t trip) { return !*ends(value + trip * step); });
  }
  return more + 1 < most_counted ? std::optional(more + 1) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> constant_trips(const Listing& listing, std::size_t jump) {
  const auto& code = listing.instructions;
  const Instruction& back = code[jump];
  const std::size_t header = target_index(listing, back);
  if (header > jump || back.predicate.empty()) return std::nullopt;
  const bool inverted = back.predicate.starts_with('!');
  const auto compares = last_writer(listing, header, jump, back.predicate.substr(inverted ? 1 : 0));
  if (!compares) return std::nullopt;
  const Instruction& comparison = code[*compares];
  const bool plain = (comparison.opcode == "ISETP" || comparison.opcode == "UISETP") &&
                     comparison.operands.size() >= 4 && has_modifier(comparison, "AND") && comparison.predicate.empty();
  const auto bound = plain ? immediate_of(comparison.operands[3]) : std::nullopt;
  if (!bound || to_string(effects_of(comparison).writes.front()) != back.predicate.substr(inverted ? 1 : 0))
    return std::nullopt;
  const std::string counter = comparison.operands[2];
  const auto adds = last_writer(listing, header, jump + 1, counter);
  if (!adds || last_writer(listing, header, *adds, counter)) return std::nullopt;
  const auto step = step_of(code[*adds], counter);
  const auto begins = last_writer(listing, 0, header, counter);
  const auto first = begins ? constant_of(code[*begins]) : std::nullopt;
  if (!step || !first || !code[*adds].predicate.empty()) return std::nullopt;
  return trips_until(*first, *step, *bound, *adds < *compares, [&](std::int64_t value) {
    const auto holds = compared(comparison, value, *bound);
    return holds ? std::optional(*holds == inverted) : std::nullopt;
  });
}

}  // namespace warpclock
