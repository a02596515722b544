#include "verify/verdict.hpp"

#include <fmt/format.h>

#include <map>

#include "base/hash.hpp"
#include "verify/rules.hpp"

namespace warpclock {

std::string code_of(const Instruction& instruction) {
  return instruction.predicate.empty() ? instruction.text
                                       : fmt::format("@{} {}", instruction.predicate, instruction.text);
}

std::string cite(const Listing& listing, std::size_t index) {
  const Instruction& instruction = listing.instructions[index];
  return fmt::format("'{}' at {:#06x}", code_of(instruction), instruction.address);
}

std::string times(long long count) {
  if (count == 0) return "0 times";
  if (count == 1) return "once";
  return count == 2 ? "twice" : fmt::format("{} times", count);
}

namespace {

bool has_window(const Listing& listing, const Verdict& verdict) {
  return verdict.open < verdict.close && verdict.close < listing.instructions.size();
}

/// "0,5" of bits 0 and 5.
std::string scoreboard_list(unsigned mask) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    if (mask >> i & 1) text += fmt::format("{}{}", text.empty() ? "" : ",", i);
  }
  return text;
}

std::string scoreboard(int which) { return which < 0 ? "-" : fmt::format("{}", which); }

}  // namespace

std::string show_window(const Listing& listing, const Verdict& verdict) {
  if (!has_window(listing, verdict)) return {};
  std::string text = "address  stall  yield  W  R  wait   SASS\n";
  for (std::size_t i = verdict.open; i <= verdict.close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    const Control& control = instruction.control;
    const std::string wait = scoreboard_list(control.wait_mask);
    text += fmt::format("{:06x}   {:5}  {:5}  {}  {}  {:5}  {}\n", instruction.address, control.stall,
                        control.yield ? "yes" : "-", scoreboard(control.write_barrier),
                        scoreboard(control.read_barrier), wait.empty() ? "-" : wait, code_of(instruction));
  }
  return text;
}

namespace {

void describe(const Listing& listing, std::size_t open, std::size_t close, Verdict& verdict) {
  verdict.open = open;
  verdict.close = close;
  std::map<std::string, int> opcodes;
  Hash hash;
  for (std::size_t i = open + 1; i < close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    ++opcodes[instruction.name()];
    hash.add(fmt::format("{:016x}{:016x}", instruction.high, instruction.low));
  }
  verdict.opcodes.assign(opcodes.begin(), opcodes.end());
  verdict.sass_hash = hash.hex();
}

/// What in a claim cannot be evaluated.
std::optional<Error> evaluate(const Expectation& expect, std::int64_t n, Claim& claim) {
  const auto set = [&](const Product& product, std::int64_t& number) -> std::optional<Error> {
    const auto value = product.evaluate(claim.parameters);
    if (!value) return value.error();
    number = *value;
    return std::nullopt;
  };
  std::int64_t unused = 0;
  claim.depth = n;
  if (auto error = set(expect.count, claim.count)) return error;
  if (auto error = expect.depth.factors.empty() ? std::nullopt : set(expect.depth, claim.depth)) return error;
  if (auto error = expect.delay ? set(*expect.delay, unused) : std::nullopt) return error;
  for (const Counted& counted : expect.exactly) {
    if (auto error = set(counted.count, unused)) return error;
  }
  return std::nullopt;
}

}  // namespace

Verdict verify(const Listing& listing, const Expectation& expect, const Parameters& parameters, std::int64_t n) {
  Parameters all = parameters;
  all.emplace_back("n", n);
  Claim claim{.listing = listing, .expect = expect, .parameters = all};
  Verdict verdict;
  if (const auto error = evaluate(expect, n, claim)) {
    verdict.code = error->code;
    verdict.text = error->message();
    return verdict;
  }
  claim.reads = clock_reads(listing);
  if (claim.reads.size() >= 2) {
    const Window& window = claim.window.emplace(listing, claim.reads.front(), claim.reads.back(), expect);
    describe(listing, window.open, window.close, verdict);
  }
  for (const Rule& rule : rules()) {
    auto broken = rule.judge(claim);
    if (!broken) continue;
    verdict.code = rule.code;
    verdict.rule = rule.name;
    verdict.text = *std::move(broken);
    break;
  }
  const auto distance = claim.path && !expect.loop ? encoded_distance(listing, *claim.path, n) : std::nullopt;
  if (distance) verdict.encoded_cycles = distance->cycles();
  return verdict;
}

}  // namespace warpclock
