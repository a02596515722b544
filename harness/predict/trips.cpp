#include "predict/trips.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "code/flow.hpp"
#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "predict/memory/constants.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_trips = 100'000'000;

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
  std::int64_t value = *first;
  for (std::int64_t trips = 1; trips < most_trips; ++trips, value += *step) {
    const auto holds = compared(comparison, *adds < *compares ? value + *step : value, *bound);
    if (!holds) return std::nullopt;
    if (*holds == inverted) return trips;
  }
  return std::nullopt;
}

}  // namespace warpclock
