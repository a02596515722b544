#include "verify/instruction/executed.hpp"

#include <numeric>
#include <vector>

#include "code/listing.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {
namespace {

struct Loop {
  std::size_t first, end;
};

/// How often each instruction up to the first exit is executed.
std::optional<std::vector<std::int64_t>> executions(const Listing& listing, int passes, int trips) {
  std::vector<Loop> loops;  // the inner loop first, because it ends first
  const auto& code = listing.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].opcode == "EXIT") {
      const bool nested = trips > 1;
      if (loops.size() != (nested ? 2U : 1U)) return std::nullopt;
      if (nested && loops.front().first < loops.back().first) return std::nullopt;
      std::vector<std::int64_t> times(i + 1, 1);
      for (std::size_t at = loops.back().first; at < loops.back().end; ++at) times[at] *= passes;
      for (std::size_t at = loops.front().first; nested && at < loops.front().end; ++at) times[at] *= trips;
      return times;
    }
    if (!is_jump(code[i])) continue;
    const std::size_t target = target_index(listing, code[i]);
    const bool backward = target <= i;
    if (code[i].opcode != "BRA" || code[i].predicate.empty()) return std::nullopt;
    // Only a branch that skips the whole loop may come before it.
    if (!backward && !loops.empty()) return std::nullopt;
    if (backward) loops.push_back({target, i + 1});
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes, int trips) {
  const auto times = executions(listing, passes, trips);
  if (!times) return std::nullopt;
  return std::accumulate(times->begin(), times->end(), std::int64_t{0});
}

namespace {

/// The same count for each opcode and kind.
std::optional<Code> executed_code(const Listing& listing, int passes, int trips = 1) {
  const auto times = executions(listing, passes, trips);
  if (!times) return std::nullopt;
  Code code;
  for (std::size_t i = 0; i < times->size(); ++i) {
    const Instruction& one = listing.instructions[i];
    code[{one.name(), kind_of(one)}] += (*times)[i];
  }
  return code;
}

/// The instructions in the range [first, last) of a listing, whether or not they are executed.
Code code_between(const Listing& listing, std::size_t first, std::size_t last) {
  Code code;
  for (std::size_t i = first; i < last; ++i) {
    const Instruction& one = listing.instructions[i];
    ++code[{one.name(), kind_of(one)}];
  }
  return code;
}

}  // namespace

Code further_code(const std::vector<Kernel>& kernels, const std::vector<Verdict>& verdicts, int trips, bool branches) {
  const std::size_t last = kernels.size() - 1;
  if (last == 0 || verdicts.size() != kernels.size()) return {};
  const int passes = Launch{}.warmups + 1;
  const auto of = [&](std::size_t i) -> Code {
    const Listing& listing = kernels[i].listing;
    const auto executed = executed_code(listing, passes, trips);
    if (executed && !branches) return *executed;
    Code code = code_between(listing, verdicts[i].open + 1, verdicts[i].close);
    for (auto& [what, count] : code) count *= std::int64_t{passes} * trips;
    return code;
  };
  Code further = of(last);
  for (const auto& [what, count] : of(last - 1)) further[what] -= count;
  std::erase_if(further, [](const auto& entry) { return entry.second == 0; });
  return further;
}

}  // namespace warpclock
