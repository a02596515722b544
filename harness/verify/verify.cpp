#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "code/flow.hpp"
#include "code/pattern.hpp"
#include "verify/chain.hpp"
#include "verify/closing.hpp"
#include "verify/operands.hpp"
#include "verify/scoreboard.hpp"
#include "verify/setup.hpp"
#include "verify/verdict.hpp"
#include "verify/window.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

Ruling judge_clocks(const Listing& listing, const Expectation& expect, const std::vector<std::size_t>& reads) {
  if (reads.size() < 2) {
    return Rejection{"clock-mismatch", fmt::format("the clock is read {}; a window needs an opening and a closing read",
                                                   times(static_cast<long long>(reads.size())))};
  }
  const Instruction& open = listing.instructions[reads.front()];
  const Instruction& close = listing.instructions[reads.back()];
  const auto word = [](const Instruction& read) { return read.name() + " " + read.operands.back(); };
  if (word(open) != word(close)) {
    return Rejection{"clock-mismatch",
                     fmt::format("the window opens with {} and closes with {}: they do not cost the same",
                                 cite(listing, reads.front()), cite(listing, reads.back()))};
  }
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const Instruction& read = listing.instructions[reads[i]];
    const bool declared =
        matches_any(read, expect.target) || matches_any(read, expect.also) || matches_any(read, expect.required);
    const bool edge = i == 0 || i + 1 == reads.size();
    if (edge && !read.predicate.empty()) {
      return Rejection{"clock-mismatch", fmt::format("{} reads the clock only sometimes", cite(listing, reads[i]))};
    }
    if (!edge && !declared) {
      return Rejection{"clock-mismatch",
                       fmt::format("{} reads the clock between the opening and the closing read (did ptxas copy the "
                                   "window?)",
                                   cite(listing, reads[i]))};
    }
  }
  return std::nullopt;
}

Ruling judge_count(const Window& window, const Expectation& expect, std::int64_t wanted) {
  if (!expect.target.empty()) {
    const auto found = static_cast<std::int64_t>(std::ranges::count(window.target, true));
    const std::string fact = fmt::format("{} stands {} in the window instead of {}", join(expect.target, " or "),
                                         times(found), times(wanted));
    // One of many left, or none: the whole repetition was computed away.
    if (found < wanted && (found == 0 || (found == 1 && wanted > 2))) {
      return Rejection{"folded", fact +
                                     ": ptxas folded the repetition (is an operand uniform, constant or idempotent, or "
                                     "the result unused?)"};
    }
    // Half of the links or fewer: an instruction does the work of several, as when a sum is added up in another order.
    // A probe that repeats once too seldom is not far from its claim.
    if (expect.chain && found + 1 < wanted && found * 2 <= wanted) {
      return Rejection{"broken-chain", fact + ": the compiler re-associated or merged the links of the chain"};
    }
    if (found != wanted) return Rejection{"count", fact};
  }
  for (const std::string& pattern : expect.required) {
    const bool there = std::any_of(window.begin(), window.end(), [&](const auto& i) { return matches(i, pattern); });
    if (!there) return Rejection{"count", fmt::format("{} must stand in the window and does not", pattern)};
  }
  return std::nullopt;
}

// What is allowed beside the target, as often as it is claimed.
Ruling judge_counted(const Window& window, const Expectation& expect, const Parameters& parameters) {
  for (const Counted& counted : expect.exactly) {
    const auto wanted = counted.count.evaluate(parameters);
    if (!wanted) return Rejection{wanted.error().code, wanted.error().message()};
    const auto found = static_cast<std::int64_t>(
        std::count_if(window.begin(), window.end(), [&](const auto& i) { return matches(i, counted.opcode); }));
    if (found == *wanted) continue;
    return Rejection{
        "count", fmt::format("{} stands {} in the window instead of {}", counted.opcode, times(found), times(*wanted))};
  }
  return std::nullopt;
}

// A loop is claimed for what it repeats: a target that ptxas has moved out of it would be there as often as claimed.
Ruling judge_loops(const Listing& listing, const Window& window, const Expectation& expect) {
  if (!expect.loop) return std::nullopt;
  std::vector<bool> repeated(window.target.size(), false);
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    const std::size_t to = target_index(listing, listing.instructions[i]);
    for (std::size_t k = to; window.holds(to) && k <= i; ++k) repeated[k - window.open - 1] = true;
  }
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    if (!window.target[i] || repeated[i]) continue;
    return Rejection{"folded", fmt::format("{} stands outside of the window's loops: ptxas moved it out (is its result "
                                           "unused, or the same in every trip?)",
                                           cite(listing, window.open + 1 + i))};
  }
  return std::nullopt;
}

// What prepares the window, in the order that the probe claims.
Ruling judge_setup(const Listing& listing, std::size_t open, const Expectation& expect) {
  std::optional<std::size_t> last;
  for (const std::string& pattern : expect.before) {
    std::optional<std::size_t> first, newest;
    for (std::size_t i = 0; i < open; ++i) {
      if (!matches(listing.instructions[i], pattern)) continue;
      if (!first) first = i;
      newest = i;
    }
    if (!first)
      return Rejection{"setup-order", fmt::format("{} must stand before the opening read and does not", pattern)};
    if (last && *first < *last) {
      return Rejection{"setup-order", fmt::format("{} stands before {}: ptxas moved what prepares the window",
                                                  cite(listing, *first), cite(listing, *last))};
    }
    last = newest;
  }
  return std::nullopt;
}

Ruling judge_flow(const Listing& listing, const Window& window, const Expectation& expect) {
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    if (!is_jump(instruction) || (expect.calls && instruction.opcode == "CALL")) continue;
    const bool from_inside = window.holds(i);
    const std::size_t to = target_index(listing, instruction);
    const bool to_inside = window.holds(to) || to == window.close;
    if (from_inside && !(expect.loop && to_inside)) {
      return Rejection{"foreign-opcode",
                       fmt::format("{} leaves the straight path between the clock reads{}", cite(listing, i),
                                   expect.loop ? "" : " (the probe declares no loop)")};
    }
    if (!from_inside && to_inside) {
      return Rejection{"foreign-opcode",
                       fmt::format("{} jumps into the window, past the opening read", cite(listing, i))};
    }
  }
  return std::nullopt;
}

Ruling judge_opcodes(const Listing& listing, const Window& window, const Expectation& expect) {
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    const bool declared =
        window.measured_at(i) || matches_any(instruction, expect.also) || (expect.loop && is_jump(instruction));
    if (declared || window.is_padding(i) || window.is_consumer(i)) continue;
    return Rejection{
        "foreign-opcode",
        fmt::format("{} stands in the window and the probe does not declare {}{}", cite(listing, i), instruction.name(),
                    is_no_operation(instruction) ? ": nothing before it has a stall count to carry on" : "")};
  }
  return std::nullopt;
}

Ruling judge_leaks(const Listing& listing, const Window& window) {
  const auto leak = find_leak(listing, window.open, window.close);
  if (!leak) return std::nullopt;
  return Rejection{
      "leaky-window",
      fmt::format("{} waits inside the window for {}, which was issued before it and is outstanding when the "
                  "clock is first read (scoreboard {})",
                  cite(listing, leak->waiter), cite(listing, leak->setter), leak->scoreboard)};
}

class Judge {
 public:
  Judge(const Listing& listing, const Expectation& expect, Parameters parameters, std::int64_t n)
      : listing_(listing), expect_(expect), parameters_(std::move(parameters)), n_(n) {
    parameters_.emplace_back("n", n);
  }

  Verdict judge() {
    if (Ruling ruling = rule()) {
      verdict_.code = std::move(ruling->code);
      verdict_.text = std::move(ruling->text);
    }
    return std::move(verdict_);
  }

 private:
  Ruling rule() {
    const auto count = expect_.count.evaluate(parameters_);
    if (!count) return Rejection{count.error().code, count.error().message()};
    const auto depth = expect_.depth.factors.empty() ? Expected<std::int64_t>(n_) : expect_.depth.evaluate(parameters_);
    if (!depth) return Rejection{depth.error().code, depth.error().message()};

    const std::vector<std::size_t> reads = clock_reads(listing_);
    if (reads.size() >= 2) describe(reads.front(), reads.back());
    if (Ruling ruling = judge_clocks(listing_, expect_, reads)) return ruling;
    const Window window(listing_, reads.front(), reads.back(), expect_);
    if (Ruling ruling = judge_count(window, expect_, *count)) return ruling;
    if (Ruling ruling = judge_counted(window, expect_, parameters_)) return ruling;
    if (Ruling ruling = judge_setup(listing_, window.open, expect_)) return ruling;
    if (auto leaky = why_leaky_setup(listing_, window.open, expect_, parameters_)) {
      return Rejection{"leaky-setup", *leaky};
    }
    if (Ruling ruling = judge_flow(listing_, window, expect_)) return ruling;
    if (Ruling ruling = judge_loops(listing_, window, expect_)) return ruling;
    if (Ruling ruling = judge_opcodes(listing_, window, expect_)) return ruling;
    if (Ruling ruling = expect_.chain ? judge_chain(window, *depth) : std::nullopt) return ruling;
    if (auto open = why_open(listing_, window, expect_)) return Rejection{"open-window", *open};
    if (Ruling ruling = judge_leaks(listing_, window)) return ruling;
    if (auto other = why_other_operands(listing_, window, expect_)) return Rejection{"operands", *other};
    return std::nullopt;
  }

  void describe(std::size_t open, std::size_t close) {
    verdict_.open = open;
    verdict_.close = close;
    std::map<std::string, int> opcodes;
    Hash hash;
    for (std::size_t i = open + 1; i < close; ++i) {
      const Instruction& instruction = listing_.instructions[i];
      ++opcodes[instruction.name()];
      hash.add(fmt::format("{:016x}{:016x}", instruction.high, instruction.low));
    }
    verdict_.opcodes.assign(opcodes.begin(), opcodes.end());
    verdict_.sass_hash = hash.hex();
  }

  Ruling judge_chain(const Window& window, std::int64_t depth) {
    const auto path =
        find_chain(listing_, window.uses, {.target = window.target, .depth = depth, .operand = expect_.operand});
    if (!path) return Rejection{"broken-chain", path.error()};
    if (expect_.loop) return std::nullopt;
    if (const auto distance = encoded_distance(listing_, *path, n_)) verdict_.encoded_cycles = distance->cycles();
    return std::nullopt;
  }

  const Listing& listing_;
  const Expectation& expect_;
  Parameters parameters_;
  std::int64_t n_;
  Verdict verdict_;
};

}  // namespace

Verdict verify(const Listing& listing, const Expectation& expect, const Parameters& parameters, std::int64_t n) {
  return Judge(listing, expect, parameters, n).judge();
}

}  // namespace warpclock
