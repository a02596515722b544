#include "predict/chosen_ways.hpp"

#include <algorithm>

#include "base/lookup.hpp"
#include "code/listing.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_passes = 10'000;  ///< of a warp of all blocks, at a jump that nothing decides

}  // namespace

bool calls_before(const Listing& listing, std::size_t jump, std::size_t target) {
  const auto& code = listing.instructions;
  for (std::size_t i = jump; i < std::min(target, code.size()); ++i) {
    if (code[i].opcode == "CALL") return true;
  }
  return false;
}

ChosenWays::ChosenWays(const LoadedKernel& kernel, const std::vector<KernelLoop>& loops,
                       const std::map<std::size_t, bool>& by_loops, std::int64_t trips_at_most)
    : kernel_(kernel), loops_(loops), by_loops_(by_loops), most_trips_(trips_at_most) {
  for (std::size_t l = 0; l < loops.size(); ++l) {
    if (loops[l].decided) deciders_.emplace(loops[l].jump, l);
  }
}

std::optional<ChosenWay> ChosenWays::way(const WarpPlace& warp, const CodeStep& step) {
  const std::size_t i = step.index, target = step.target_index;
  if (step.kind == StepKind::Exit) {
    open_.insert(i);
    return ChosenWay{};
  }
  const std::size_t* decider = value_at(deciders_, i);
  if (decider != nullptr) asked_.insert(i);
  if (decider != nullptr && loops_[*decider].trips) return decided(warp, i, loops_[*decider]);
  if (const bool* by_loop = value_at(by_loops_, i)) return ChosenWay{.jumps = *by_loop};
  if (calls_before(kernel_.listing, i, target)) return ChosenWay{.jumps = true};
  open_.insert(i);
  if (++passes_[{warp.warp, i}] > most_passes) return std::nullopt;
  return ChosenWay{.jumps = target > i && decider != nullptr};
}

ChosenWay ChosenWays::decided(const WarpPlace& warp, std::size_t jump, const KernelLoop& loop) {
  const std::int64_t most = std::min(*loop.trips, most_trips_);
  std::int64_t& trips = trips_[{warp.warp, jump}];
  const bool again = ++trips < most;
  const bool back = target_index(kernel_.listing, kernel_.listing.instructions[jump]) <= jump;
  ChosenWay way{.jumps = again == back};
  if (again) return way;
  trips = 0;
  if (most == *loop.trips) return way;
  shortened_ = true;
  way.first = static_cast<std::uint32_t>(loop.header), way.last = static_cast<std::uint32_t>(loop.end - 1);
  return way;
}

}  // namespace warpclock
