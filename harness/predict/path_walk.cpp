#include "predict/path_walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/lookup.hpp"
#include "code/flow.hpp"
#include "code/semantics.hpp"
#include "predict/meeting/followed_code.hpp"
#include "predict/memory/lane_launch.hpp"

namespace warpclock {
namespace {

/// Instructions, in all walks of a kernel. When half of them are executed, no other warps are walked.
constexpr std::int64_t most_executed = 4'000'000;
constexpr std::int64_t trips_walked = 2;  ///< of a loop whose trips are said

/// Passes of a jump, and how many of them took it.
struct Passes {
  double all = 0, taken = 0;
  bool operator==(const Passes&) const = default;
};
using WarpPasses = std::map<std::size_t, Passes>;  // by jump

class Walker {
 public:
  explicit Walker(const PathWalkInput& input)
      : in_(input), code_(input.kernel.listing.instructions), block_of_(code_.size(), 0) {
    for (std::size_t b = 0; b < in_.graph.blocks.size(); ++b) {
      for (std::size_t i = in_.graph.blocks[b].first; i < in_.graph.blocks[b].end; ++i) block_of_[i] = b;
    }
    for (std::size_t l = 0; l < in_.loops.size(); ++l) {
      headers_.emplace(in_.loops[l].header, l);
      if (in_.loops[l].decided) deciders_.emplace(in_.loops[l].jump, l);
    }
  }

  PathWalk run() {
    const FollowedCode followed(in_.kernel.listing, 0, code_.size(),
                                lane_launch(in_.kernel.listing.target, in_.kernel.facts, in_.shape),
                                Following::AllJumps);
    const std::size_t threads = static_cast<std::size_t>(std::max(1, in_.shape.threads()));
    const std::size_t warps = (threads + warp_lanes - 1) / warp_lanes;
    std::vector<std::vector<Passes>> sums(code_.size());
    bool alike = false;  // all warps of a block go the same way
    for (const auto& block : sampled_blocks(in_.shape)) {
      WarpPasses first;
      bool same = true;
      for (std::size_t warp = 0; warp < (alike ? 1 : warps); ++warp) {
        const auto passes = walk(WarpValues(followed, static_cast<int>(warp), block), followed);
        if (!passes) return {};
        if (warp == 0) first = *passes;
        same = same && *passes == first;
        const bool long_way = executed_ > most_executed / 2;
        add(sums, *passes, warp, alike || long_way ? warps : warp + 1, warps);
        if (long_way) return finished(sums);
      }
      alike = same;
    }
    return finished(sums);
  }

 private:
  PathWalk finished(const std::vector<std::vector<Passes>>& sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!sums[i].empty())
        walk_.taken[i] = mapped(sums[i], [](const Passes& one) { return one.all > 0 ? one.taken / one.all : 0.0; });
    }
    walk_.complete = true;
    return std::move(walk_);
  }

  static void add(std::vector<std::vector<Passes>>& sums, const WarpPasses& passes, std::size_t first, std::size_t end,
                  std::size_t warps) {
    for (const auto& [jump, one] : passes) {
      sums[jump].resize(warps);
      for (std::size_t warp = first; warp < end; ++warp) {
        sums[jump][warp].all += one.all;
        sums[jump][warp].taken += one.taken;
      }
    }
  }

  /// One warp from begin to end; nothing if that takes too long.
  std::optional<WarpPasses> walk(WarpValues values, const FollowedCode& followed) {
    WarpPasses passes;
    std::vector<std::int64_t> trips(in_.loops.size(), 0);
    std::size_t before = code_.size();
    for (std::optional<std::size_t> at = 0; at && *at < code_.size();) {
      const std::size_t i = *at;
      values.arrive(i);
      if (const auto loop = headers_.find(i); loop != headers_.end()) enter(loop->second, before, trips);
      if (followed.operation(i) && ++executed_ > most_executed) return std::nullopt;
      before = i;
      const Instruction& one = code_[i];
      if (one.opcode == "EXIT" || one.opcode == "RET" || one.opcode == "KILL") {
        at = leave(values, i, passes);
      } else if (is_jump(one) && one.opcode != "CALL") {
        at = jump(values, i, trips, passes);
      } else {
        values.execute(i);
        at = i + 1;
      }
    }
    return passes;
  }

  void enter(std::size_t loop, std::size_t from, std::vector<std::int64_t>& trips) {
    const Loop& blocks = in_.graph.loops[static_cast<std::size_t>(in_.loops[loop].id)];
    const bool again = from < code_.size() && std::ranges::binary_search(blocks.blocks, block_of_[from]);
    trips[loop] = again ? trips[loop] + 1 : 1;
    WalkedLoop& walked = walk_.loops[in_.loops[loop].id];
    ++walked.trips;
    if (!again) ++walked.entries;
  }

  std::optional<std::size_t> leave(WarpValues& values, std::size_t i, WarpPasses& passes) {
    const auto known = values.lanes_of(i);
    if (!known) walk_.open.insert(i);
    const WarpValues::Lanes lanes = known.value_or(0);
    if (!code_[i].predicate.empty()) note(passes[i], lanes == values.active());
    return lanes == 0 ? std::optional(i + 1) : values.leave(lanes, i);
  }

  std::optional<std::size_t> jump(WarpValues& values, std::size_t i, std::vector<std::int64_t>& trips,
                                  WarpPasses& passes) {
    const std::size_t target = target_index(in_.kernel.listing, code_[i]);
    if (target >= code_.size()) {
      walk_.open.insert(i);
      return i + 1;
    }
    const auto decider = deciders_.find(i);
    const KernelLoop* loop = decider == deciders_.end() ? nullptr : &in_.loops[decider->second];
    auto lanes = values.lanes_of(i);
    const bool counted = loop != nullptr && loop->trips && (!lanes || *loop->trips > most_followed_trips);
    if (counted) {
      const std::int64_t most = std::min(*loop->trips, trips_walked);
      const bool again = trips[decider->second] < most;
      lanes = again == (target <= i) ? values.active() : 0;
      if (!again && most < *loop->trips) values.forget(written_in(decider->second));
    } else if (!lanes) {
      lanes = chosen(i, target, loop != nullptr) ? values.active() : 0;
    }
    SeenWays& seen = walk_.seen[i];
    seen.jump |= *lanes != 0;
    seen.on |= *lanes != values.active();
    const std::size_t next = values.jump(*lanes, i, target);
    if (target > i) note(passes[i], next == target);
    return next;
  }

  static void note(Passes& passes, bool taken) {
    ++passes.all;
    if (taken) ++passes.taken;
  }

  /// Whether a jump is taken that values do not decide.
  bool chosen(std::size_t i, std::size_t target, bool decides) {
    if (const bool* way = value_at(in_.by_loops, i)) return *way;
    // What calls a function for rare numbers is gone past.
    if (calls_before(in_.kernel.listing, i, target)) return true;
    walk_.open.insert(i);
    return target > i && decides;
  }

  const std::vector<Register>& written_in(std::size_t loop) {
    auto& written = written_[loop];
    if (!written.empty()) return written;
    for (const std::size_t block : in_.graph.loops[static_cast<std::size_t>(in_.loops[loop].id)].blocks) {
      for (std::size_t i = in_.graph.blocks[block].first; i < in_.graph.blocks[block].end; ++i) {
        for (const Register reg : effects_of(code_[i]).writes) written.push_back(reg);
      }
    }
    sort_once(written);
    return written;
  }

  static constexpr std::int64_t most_followed_trips = 4096;  ///< of a loop whose trips are known without its values

  const PathWalkInput& in_;
  const std::vector<Instruction>& code_;
  std::vector<std::size_t> block_of_;
  std::map<std::size_t, std::size_t> headers_, deciders_;  ///< by instruction: the position of the loop
  std::map<std::size_t, std::vector<Register>> written_;
  std::int64_t executed_ = 0;
  PathWalk walk_;
};

}  // namespace

bool calls_before(const Listing& listing, std::size_t jump, std::size_t target) {
  const auto& code = listing.instructions;
  for (std::size_t i = jump; i < std::min(target, code.size()); ++i) {
    if (code[i].opcode == "CALL") return true;
  }
  return false;
}

std::vector<std::optional<std::array<std::uint32_t, 3>>> sampled_blocks(const LaunchShape& shape) {
  constexpr std::int64_t most = 12;
  constexpr double golden = 0.6180339887498949;
  const auto& grid = shape.grid;
  if (grid[0] == 0) return {std::nullopt};
  const std::int64_t all = std::int64_t{grid[0]} * grid[1] * grid[2];
  std::vector<std::optional<std::array<std::uint32_t, 3>>> blocks;
  for (std::int64_t k = 0; k < std::min(all, most); ++k) {
    const double place = static_cast<double>(k) * golden;
    const auto at = all <= most ? k : static_cast<std::int64_t>((place - std::floor(place)) * static_cast<double>(all));
    blocks.push_back(std::array{static_cast<std::uint32_t>(at % grid[0]),
                                static_cast<std::uint32_t>(at / grid[0] % grid[1]),
                                static_cast<std::uint32_t>(at / grid[0] / grid[1])});
  }
  return blocks;
}

PathWalk walk_paths(const PathWalkInput& input) { return Walker(input).run(); }

}  // namespace warpclock
