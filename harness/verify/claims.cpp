#include "verify/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "verify/chain.hpp"
#include "verify/verdict.hpp"
#include "verify/waits.hpp"

namespace warpclock {
namespace {

/// The last matching instruction before `open`.
std::optional<std::size_t> newest(const Listing& listing, std::size_t open, std::string_view pattern) {
  for (std::size_t i = open; i-- > 0;) {
    if (matches(listing.instructions[i], pattern)) return i;
  }
  return std::nullopt;
}

/// Whether it takes as long as memory or another thread does: its cycles are not encoded.
bool waits_unknown_cycles(const Instruction& instruction) {
  constexpr std::array<std::string_view, 7> waits{"MEMBAR",    "ERRBAR",  "DEPBAR",      "SYNCS",
                                                  "NANOSLEEP", "ACQBULK", "UCGABAR_WAIT"};
  return from_memory(instruction) || std::ranges::find(waits, instruction.opcode) != waits.end();
}

}  // namespace

std::optional<std::string> why_out_of_order(const Listing& listing, std::size_t open, const Expectation& expect) {
  std::optional<std::size_t> last;
  for (const std::string& pattern : expect.before) {
    std::optional<std::size_t> first, newest;
    for (std::size_t i = 0; i < open; ++i) {
      if (!matches(listing.instructions[i], pattern)) continue;
      if (!first) first = i;
      newest = i;
    }
    if (!first) return fmt::format("{} must be before the opening read and is not", pattern);
    if (last && *first < *last) {
      return fmt::format("{} is before {}: ptxas moved what prepares the window", cite(listing, *first),
                         cite(listing, *last));
    }
    last = newest;
  }
  return std::nullopt;
}

std::optional<std::string> why_late_wait(const Listing& listing, std::size_t open, const Expectation& expect) {
  for (const std::string& pattern : expect.before) {
    const auto access = newest(listing, open, pattern);
    const auto leak = access ? find_late_wait(listing, *access, open) : std::nullopt;
    if (!leak) continue;
    return fmt::format(
        "{} waits for {} (scoreboard {}) between {}, which prepares the window, and the opening read: the window opens "
        "later after it than the probe says",
        cite(listing, leak->waiter), cite(listing, leak->setter), leak->scoreboard, cite(listing, *access));
  }
  return std::nullopt;
}

std::optional<std::string> why_other_delay(const Listing& listing, std::size_t open, const Expectation& expect,
                                           const Parameters& parameters) {
  const auto claimed = expect.delay ? expect.delay->evaluate(parameters) : Expected<std::int64_t>(0);
  // The last of `before` makes up the delay.
  const auto access = expect.delay ? newest(listing, open, expect.before[expect.before.size() - 2]) : std::nullopt;
  if (!access || !claimed) return std::nullopt;
  std::int64_t encoded = 0;
  for (std::size_t i = *access; i < open; ++i) {
    if (i > *access && waits_unknown_cycles(listing.instructions[i])) {
      return fmt::format("{} is in the delay between {} and the opening read, and its duration is not known",
                         cite(listing, i), cite(listing, *access));
    }
    encoded += issue_distance(listing.instructions[i].control);
  }
  if (encoded >= *claimed && encoded <= *claimed + delay_slack) return std::nullopt;
  return fmt::format("{} cycles are encoded from {} to the opening read instead of {} to {}", encoded,
                     cite(listing, *access), *claimed, *claimed + delay_slack);
}

namespace {

enum class Fate { Read, Overwritten, Pending };

bool touches(const std::vector<Register>& registers, const auto& predicate) {
  return std::ranges::any_of(registers, predicate);
}

/// What happens to the result of the instruction at `index` before the closing read.
Fate fate_of(const Window& window, std::size_t index) {
  const DefUse& uses = window.uses;
  const std::vector<Register>& result = uses.effects[index - uses.first].writes;
  for (std::size_t i = index + 1; i < window.close; ++i) {
    const Effects& later = uses.effects[i - uses.first];
    if (touches(result, [&](Register reg) { return later.reads(reg); })) return Fate::Read;
    // The next instruction that writes the register waits for this write.
    if (touches(result, [&](Register reg) { return later.writes_to(reg); })) return Fate::Overwritten;
  }
  return Fate::Pending;
}

std::optional<std::string> pending_result(const Listing& listing, const Window& window) {
  bool any = false;
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (!window.measured_at(i) || window.uses.effects[i - window.uses.first].writes.empty()) continue;
    any = true;
    if (fate_of(window, i) != Fate::Pending) continue;
    return fmt::format("the closing read does not wait for {} of {}: no instruction before it reads the result",
                       to_string(window.uses.effects[i - window.uses.first].writes.front()), cite(listing, i));
  }
  if (any || window.last_measured() == window.open) return std::nullopt;
  return fmt::format(
      "{} writes no register that the closing read could wait for; the probe has to say how it closes "
      "(close: memory, or close: issue)",
      cite(listing, window.last_measured()));
}

bool waits_for_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 4> barriers{"BAR", "ERRBAR", "MEMBAR", "UCGABAR_WAIT"};
  if (std::ranges::find(barriers, instruction.opcode) != barriers.end()) return true;
  // ptxas writes tcgen05.wait::st as FENCE.VIEW.*.T.
  if (instruction.opcode == "FENCE") return has_modifier(instruction, "VIEW") && has_modifier(instruction, "T");
  if (instruction.opcode == "SYNCS") return has_modifier(instruction, "PHASECHK");
  if (instruction.opcode != "DEPBAR" && !(instruction.opcode == "WARPGROUP" && has_modifier(instruction, "DEPBAR")))
    return false;
  // A count above zero leaves the youngest groups in flight.
  return instruction.operands.size() < 2 || instruction.operands[1] == "0x0";
}

std::optional<std::string> pending_memory(const Listing& listing, const Window& window) {
  const std::size_t last = window.last_measured();
  bool committed = listing.instructions[last].opcode != "LDGSTS";
  for (std::size_t i = std::max(last, window.open + 1); i < window.close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    committed |= instruction.opcode == "LDGDEPBAR";
    if (committed && waits_for_memory(instruction)) return std::nullopt;
    const bool load =
        i > last && variable_latency(instruction) && !window.uses.effects[i - window.uses.first].writes.empty();
    if (load && fate_of(window, i) == Fate::Read) return std::nullopt;
  }
  return fmt::format(
      "no wait for memory (DEPBAR to zero, BAR, MEMBAR, SYNCS.PHASECHK, or a load that is consumed) is "
      "between {} and the closing read",
      cite(listing, last));
}

}  // namespace

std::optional<std::string> why_open(const Listing& listing, const Window& window, const Expectation& expect) {
  switch (expect.close) {
    case Close::Result:
      return pending_result(listing, window);
    case Close::Memory:
      return pending_memory(listing, window);
    case Close::Issue:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> why_empties_l1(const Listing& listing, const Window& window) {
  const auto& code = listing.instructions;
  const auto keeps = [](const Instruction& one) {
    return (one.opcode == "LDG" || one.opcode == "LD" || one.opcode == "LDL") && uses_l1(one);
  };
  if (std::none_of(window.begin(), window.end(), keeps)) return std::nullopt;
  for (std::size_t i = window.close + 1; i < code.size(); ++i) {
    if (code[i].opcode == "BAR" || code[i].opcode == "UCGABAR_WAIT") return std::nullopt;
    if (code[i].opcode != "CCTL" || !has_modifier(code[i], "IVALL")) continue;
    return fmt::format("{} empties L1 behind the closing read: other warps may still load in their windows",
                       cite(listing, i));
  }
  return std::nullopt;
}

std::optional<std::string> why_not_straight(const Listing& listing, const Window& window, const Expectation& expect) {
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    if (!is_jump(instruction) || (expect.calls && instruction.opcode == "CALL")) continue;
    const bool from_inside = window.holds(i);
    const std::size_t to = target_index(listing, instruction);
    const bool to_inside = window.holds(to) || to == window.close;
    if (from_inside && !(expect.loop && to_inside)) {
      return fmt::format("{} leaves the straight path between the clock reads{}", cite(listing, i),
                         expect.loop ? "" : " (the probe declares no loop)");
    }
    if (!from_inside && to_inside) {
      return fmt::format("{} jumps into the window, past the opening read", cite(listing, i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> why_outside_of_loop(const Listing& listing, const Window& window) {
  std::vector<bool> repeated(window.target.size(), false);
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    const std::size_t to = target_index(listing, listing.instructions[i]);
    for (std::size_t k = to; window.holds(to) && k <= i; ++k) repeated[k - window.open - 1] = true;
  }
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    if (!window.target[i] || repeated[i]) continue;
    return fmt::format(
        "{} is outside of the window's loops: ptxas moved it out (is its result unused, or the same in every "
        "trip?)",
        cite(listing, window.open + 1 + i));
  }
  return std::nullopt;
}

namespace {

constexpr std::int64_t percent = 100;

/// The count that one target contributes, and its index.
struct Found {
  std::size_t index;
  int count;
};

template <typename Count>
std::vector<Found> count_each(const Listing& listing, const Window& window, Count count) {
  std::vector<Found> all;
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (window.target[i - window.open - 1]) all.push_back({i, count(listing.instructions[i])});
  }
  return all;
}

std::string words(const Range& limits) {
  return limits.low == limits.high ? fmt::format("{}", limits.low) : fmt::format("{} to {}", limits.low, limits.high);
}

std::string per_hundred(std::int64_t count, std::size_t targets) {
  return human_number(static_cast<double>(percent * count) / static_cast<double>(targets), 4);
}

/// Whether `count` per 100 targets is below (-1) or above (1) its limits.
int beyond(const Range& limits, std::int64_t count, std::size_t targets) {
  const auto all = static_cast<std::int64_t>(targets);
  if (count * percent < limits.low * all) return -1;
  return count * percent > limits.high * all ? 1 : 0;
}

std::optional<std::string> judge_banks(const Listing& listing, const std::vector<Found>& targets, int registers,
                                       const Range& limits) {
  const auto fits = [registers](const Found& target) { return target.count == registers; };
  const std::int64_t fitting = std::ranges::count_if(targets, fits);
  const int side = beyond(limits, fitting, targets.size());
  if (side == 0) return std::nullopt;
  const std::string fact = fmt::format(
      "{} of {} targets ({} %) have {} source register{} in the fuller bank instead of {} %", fitting, targets.size(),
      per_hundred(fitting, targets.size()), registers, registers == 1 ? "" : "s", words(limits));
  if (side > 0)
    return fmt::format("{}; the first is {}", fact, cite(listing, std::ranges::find_if(targets, fits)->index));
  const auto other = std::ranges::find_if_not(targets, fits);
  return fmt::format("{}; the first that has not is {}, with {}", fact, cite(listing, other->index), other->count);
}

std::optional<std::string> judge_reuse(const Listing& listing, const std::vector<Found>& targets, const Range& limits) {
  std::int64_t flags = 0;
  for (const Found& target : targets) flags += target.count;
  const int side = beyond(limits, flags, targets.size());
  if (side == 0) return std::nullopt;
  // Such a target exists because the mean is beyond the limit.
  const auto first =
      std::ranges::find_if(targets, [&](const Found& target) { return beyond(limits, target.count, 1) == side; });
  return fmt::format(".reuse occurs {} at {} targets, {} for 100 instead of {}; the first with {} is {}", times(flags),
                     targets.size(), per_hundred(flags, targets.size()), words(limits), first->count,
                     cite(listing, first->index));
}

}  // namespace

std::array<int, 2> bank_reads(const Instruction& instruction) {
  std::array<int, 2> reads{};
  for (const std::vector<Register>& operand : effects_of(instruction).sources) {
    for (const Register& reg : operand) {
      if (reg.file == RegisterFile::Vector) ++reads[static_cast<std::size_t>(reg.index % 2)];
    }
  }
  return reads;
}

int reuse_flags(const Instruction& instruction) {
  return static_cast<int>(std::ranges::count_if(instruction.operands,
                                                [](const std::string& operand) { return operand.contains(".reuse"); }));
}

std::optional<std::string> why_other_operands(const Listing& listing, const Window& window, const Expectation& expect) {
  if (!expect.operands) return std::nullopt;
  const auto banks = count_each(listing, window, [](const Instruction& i) { return std::ranges::max(bank_reads(i)); });
  if (banks.empty()) return "no target in the window could have the operands claimed";
  for (const auto& [registers, limits] : expect.operands->in_one_bank) {
    if (auto why = judge_banks(listing, banks, registers, limits)) return why;
  }
  if (!expect.operands->reuse) return std::nullopt;
  return judge_reuse(listing, count_each(listing, window, reuse_flags), *expect.operands->reuse);
}

namespace {

std::int64_t targets(const Claim& claim) { return std::ranges::count(claim.window->target, true); }

std::string count_fact(const Claim& claim) {
  return fmt::format("{} occurs {} in the window instead of {}", join(claim.expect.target, " or "),
                     times(targets(claim)), times(claim.count));
}

constexpr const char* folded_hint =
    ": ptxas folded the repetition (is an operand uniform, constant or idempotent, or the result unused?)";

/// Why a target does not occur: a hint, or the opcode that occurs as often as claimed.
std::string why_nowhere(const Claim& claim) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t i = claim.window->open + 1; i < claim.window->close; ++i)
    ++counts[claim.listing.instructions[i].name()];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  if (most != counts.end() && most->second == claim.count)
    return fmt::format("; {} occurs {}: is that the target?", most->first, times(most->second));
  return folded_hint;
}

}  // namespace

std::optional<std::string> repetition(const Claim& claim) {
  if (claim.expect.target.empty()) return std::nullopt;
  const std::int64_t found = targets(claim);
  if (found >= claim.count || !(found == 0 || (found == 1 && claim.count > 2))) return std::nullopt;
  return count_fact(claim) + (found == 0 ? why_nowhere(claim) : folded_hint);
}

std::optional<std::string> all_links(const Claim& claim) {
  const std::int64_t found = targets(claim);
  const bool claimed = claim.expect.chain && !claim.expect.target.empty();
  if (!claimed || found + 1 >= claim.count || found * 2 > claim.count) return std::nullopt;
  return count_fact(claim) +
         ": the compiler re-associated or merged the links of the chain, or `count` claims too many";
}

std::optional<std::string> exact_count(const Claim& claim) {
  if (claim.expect.target.empty() || targets(claim) == claim.count) return std::nullopt;
  return count_fact(claim);
}

}  // namespace warpclock
