#include "verify/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "code/listing.hpp"
#include "verify/chain.hpp"
#include "verify/claims.hpp"
#include "verify/verdict.hpp"
#include "verify/waits.hpp"

namespace warpclock {
namespace {

std::optional<std::string> two_reads(const Claim& claim) {
  if (claim.window) return std::nullopt;
  return fmt::format("the clock is read {}; a window needs an opening and a closing read",
                     times(static_cast<long long>(claim.reads.size())));
}

std::optional<std::string> same_reads(const Claim& claim) {
  const Listing& listing = claim.listing;
  const std::size_t open = claim.window->open, close = claim.window->close;
  const auto word = [&](std::size_t at) {
    return listing.instructions[at].name() + " " + listing.instructions[at].operands.back();
  };
  if (word(open) != word(close)) {
    return fmt::format("the window opens with {} and closes with {}: they do not cost the same", cite(listing, open),
                       cite(listing, close));
  }
  for (const std::size_t at : {open, close}) {
    if (listing.instructions[at].predicate.empty()) continue;
    return fmt::format("{} reads the clock only sometimes", cite(listing, at));
  }
  return std::nullopt;
}

std::optional<std::string> no_other_reads(const Claim& claim) {
  const Expectation& expect = claim.expect;
  for (std::size_t i = 1; i + 1 < claim.reads.size(); ++i) {
    const Instruction& read = claim.listing.instructions[claim.reads[i]];
    if (matches_any(read, expect.target) || matches_any(read, expect.also) || matches_any(read, expect.required)) {
      continue;
    }
    return fmt::format("{} reads the clock between the opening and the closing read (did ptxas copy the window?)",
                       cite(claim.listing, claim.reads[i]));
  }
  return std::nullopt;
}

std::optional<std::string> required_companions(const Claim& claim) {
  const Window& window = *claim.window;
  for (const std::string& pattern : claim.expect.required) {
    if (std::any_of(window.begin(), window.end(), [&](const auto& i) { return matches(i, pattern); })) continue;
    return fmt::format("{} must be in the window and is not", pattern);
  }
  return std::nullopt;
}

std::optional<std::string> counted_companions(const Claim& claim) {
  const Window& window = *claim.window;
  for (const Counted& counted : claim.expect.exactly) {
    const auto wanted = counted.count.evaluate(claim.parameters);
    const auto found = static_cast<std::int64_t>(
        std::count_if(window.begin(), window.end(), [&](const auto& i) { return matches(i, counted.opcode); }));
    if (found == *wanted) continue;
    return fmt::format("{} occurs {} in the window instead of {}", counted.opcode, times(found), times(*wanted));
  }
  return std::nullopt;
}

std::optional<std::string> setup_in_order(const Claim& claim) {
  return why_out_of_order(claim.listing, claim.window->open, claim.expect);
}

std::optional<std::string> no_wait_after_setup(const Claim& claim) {
  return why_late_wait(claim.listing, claim.window->open, claim.expect);
}

std::optional<std::string> claimed_delay(const Claim& claim) {
  return why_other_delay(claim.listing, claim.window->open, claim.expect, claim.parameters);
}

std::optional<std::string> straight_path(const Claim& claim) {
  return why_not_straight(claim.listing, *claim.window, claim.expect);
}

std::optional<std::string> targets_in_loop(const Claim& claim) {
  return claim.expect.loop ? why_outside_of_loop(claim.listing, *claim.window) : std::nullopt;
}

std::optional<std::string> declared_opcodes(const Claim& claim) {
  const Window& window = *claim.window;
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    const Instruction& instruction = claim.listing.instructions[i];
    const bool declared = window.measured_at(i) || matches_any(instruction, claim.expect.also) ||
                          (claim.expect.loop && is_jump(instruction));
    if (declared || window.is_padding(i) || window.is_consumer(i)) continue;
    return fmt::format("{} is in the window and the probe does not declare {}{}", cite(claim.listing, i),
                       instruction.name(),
                       is_no_operation(instruction) ? ": nothing before it has a stall count to continue" : "");
  }
  return std::nullopt;
}

std::optional<std::string> dependent_chain(const Claim& claim) {
  if (!claim.expect.chain) return std::nullopt;
  const Window& window = *claim.window;
  auto path = find_chain(claim.listing, window.uses,
                         {.target = window.target, .depth = claim.depth, .operand = claim.expect.operand});
  if (!path) return std::move(path).error();
  claim.path = *std::move(path);
  return std::nullopt;
}

std::optional<std::string> closed_window(const Claim& claim) {
  return why_open(claim.listing, *claim.window, claim.expect);
}

std::optional<std::string> nothing_outstanding(const Claim& claim) {
  const auto leak = find_leak(claim.listing, claim.window->open, claim.window->close);
  if (!leak) return std::nullopt;
  return fmt::format(
      "{} waits inside the window for {}, which was issued before it and is outstanding when the clock is first read "
      "(scoreboard {})",
      cite(claim.listing, leak->waiter), cite(claim.listing, leak->setter), leak->scoreboard);
}

std::optional<std::string> l1_kept(const Claim& claim) { return why_empties_l1(claim.listing, *claim.window); }

std::optional<std::string> claimed_operands(const Claim& claim) {
  return why_other_operands(claim.listing, *claim.window, claim.expect);
}

constexpr std::array table{
    Rule{.name = "two-reads",
         .code = "clock-mismatch",
         .claim = "The clock is read at least twice: the window is between the first and the last read.",
         .guard = "no_close.sass",
         .judge = two_reads},
    Rule{.name = "no-other-reads",
         .code = "clock-mismatch",
         .claim = "No other read of the clock is between them: it would show that ptxas copied the window.",
         .allows = "A probe may declare one.",
         .guard = "copied_window.cu",
         .judge = no_other_reads},
    Rule{.name = "same-reads",
         .code = "clock-mismatch",
         .claim = "The opening and the closing read are the same instruction, without a predicate.",
         .guard = "mixed_clocks.cu",
         .judge = same_reads},
    Rule{.name = "repetition",
         .code = "folded",
         .claim = "The repetition is there.",
         .allows = "Broken where none, or one of three and more, is left: then the compiler computed it away.",
         .guard = "uniform.cu",
         .judge = repetition},
    Rule{.name = "all-links",
         .code = "broken-chain",
         .claim = "A chain keeps its links.",
         .allows = "Broken where at most half are left: then one instruction does the work of several.",
         .guard = "reassociated.cu",
         .judge = all_links},
    Rule{.name = "exact-count",
         .code = "count",
         .claim = "The target is in the window exactly as often as claimed.",
         .guard = "missing_repetition.cu",
         .judge = exact_count},
    Rule{.name = "required-companions",
         .code = "count",
         .claim = "Each opcode that the probe requires is in the window.",
         .guard = "lost_companion.sass",
         .judge = required_companions},
    Rule{.name = "counted-companions",
         .code = "count",
         .claim = "Each companion with a claimed count occurs exactly so often: ptxas serializes warp-group "
                  "multiplies by waits.",
         .guard = "serialized.sass",
         .judge = counted_companions},
    Rule{.name = "setup-in-order",
         .code = "setup-order",
         .claim = "What prepares the window comes before it in the claimed order.",
         .guard = "swapped_setup.sass",
         .judge = setup_in_order},
    Rule{.name = "no-wait-after-setup",
         .code = "leaky-setup",
         .claim = "Between an access that prepares the window and the opening read, nothing waits for a scoreboard "
                  "set before it.",
         .guard = "leaky_setup.cu",
         .judge = no_wait_after_setup},
    Rule{.name = "claimed-delay",
         .code = "leaky-setup",
         .claim = "From that access to the opening read the control fields encode the claimed delay, and nothing is "
                  "of unknown duration.",
         .allows = "Up to 80 cycles more are allowed: a barrier, the first load of the delay's chain, reads of what "
                   "the window needs.",
         .guard = "short_delay.cu",
         .judge = claimed_delay},
    Rule{.name = "straight-path",
         .code = "foreign-opcode",
         .claim = "No jump leaves or enters the window.",
         .allows = "A declared loop may jump inside it, and a declared call comes back.",
         .guard = "branch.cu",
         .judge = straight_path},
    Rule{.name = "targets-in-loop",
         .code = "folded",
         .claim = "In a window with a loop, every target is in the loop.",
         .guard = "hoisted.sass",
         .judge = targets_in_loop},
    Rule{.name = "declared-opcodes",
         .code = "foreign-opcode",
         .claim = "The probe declares every other instruction.",
         .allows = "Exempt are no-operations after a stall count of 11 or more, which continue a longer wait, and the "
                   "exclusive or by which probe.cuh reads a result after the last target.",
         .guard = "foreign.cu",
         .judge = declared_opcodes},
    Rule{.name = "dependent-chain",
         .code = "broken-chain",
         .claim = "The targets of a chain depend on each other through registers, through the claimed operand alone "
                  "where one is claimed, in chains of exactly the claimed length.",
         .guard = "split_chain.cu",
         .judge = dependent_chain},
    Rule{.name = "closed-window",
         .code = "open-window",
         .claim = "The closing read cannot issue before the last result has arrived.",
         .allows = "Not asked of a probe of issue alone (`close: issue`).",
         .guard = "no_consumer.cu",
         .judge = closed_window},
    Rule{.name = "nothing-outstanding",
         .code = "leaky-window",
         .claim = "Nothing inside the window waits for what was issued before it, also along the edges of loops.",
         .guard = "outstanding_load.cu",
         .judge = nothing_outstanding},
    Rule{.name = "l1-kept",
         .code = "leaky-window",
         .claim = "If the window loads through L1, nothing empties L1 between the closing read and the next barrier: "
                  "other warps may still be in their windows.",
         .guard = "early_fence.cu",
         .judge = l1_kept},
    Rule{.name = "claimed-operands",
         .code = "operands",
         .claim = "The targets read registers of the claimed banks, with the claimed reuse flags.",
         .allows = "Within the range in percent that the probe states: ptxas chooses the registers.",
         .guard = "one_bank.cu",
         .judge = claimed_operands},
};

}  // namespace

std::span<const Rule> rules() { return table; }

}  // namespace warpclock
