#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.hpp"
#include "code/semantics.hpp"
#include "verify/claims.hpp"
#include "verify/wording.hpp"

namespace warpclock {
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

}  // namespace warpclock
