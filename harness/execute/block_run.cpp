#include "execute/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "execute/explain.hpp"

namespace warpclock {

std::array<std::uint32_t, 3> block_index(const ExecutedLaunch& launch, std::uint64_t block) {
  const std::uint64_t x = launch.grid[0], y = launch.grid[1];
  return {static_cast<std::uint32_t>(block % x), static_cast<std::uint32_t>(block / x % y),
          static_cast<std::uint32_t>(block / x / y)};
}

std::uint64_t block_number(const ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& index) {
  return (std::uint64_t{index[2]} * launch.grid[1] + index[1]) * launch.grid[0] + index[0];
}

std::uint64_t cluster_number(const ExecutedLaunch& launch, const std::array<std::uint32_t, 3>& index) {
  std::uint64_t number = 0;
  for (std::size_t axis = index.size(); axis-- > 0;)
    number = number * (launch.grid[axis] / launch.cluster[axis]) + index[axis] / launch.cluster[axis];
  return number;
}

std::uint32_t cluster_rank(const ExecutedLaunch& launch, std::uint64_t block) {
  const auto index = block_index(launch, block);
  std::uint32_t rank = 0, blocks_before = 1;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    rank += index[axis] % launch.cluster[axis] * blocks_before;
    blocks_before *= launch.cluster[axis];
  }
  return rank;
}

void BlockRun::begin(std::uint64_t block) {
  const auto& extents = launch_.cluster;
  const auto asked = block_index(launch_, block);
  subject_ = cluster_rank(launch_, block);
  block_ = block, stored_ = 0;
  cluster_ = cluster_number(launch_, asked);
  turns_.clear();
  blocks_.resize(launch_.cluster_blocks());
  for (std::uint32_t rank = 0; rank < blocks_.size(); ++rank) {
    const std::array<std::uint32_t, 3> in_cluster{rank % extents[0], rank / extents[0] % extents[1],
                                                  rank / extents[0] / extents[1]};
    WarpPlace place{.grid = launch_.grid, .threads = launch_.block, .cluster_rank = rank};
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      place.block[axis] = asked[axis] / extents[axis] * extents[axis] + in_cluster[axis];
    begin(blocks_[rank], place);
  }
}

void BlockRun::begin(Resident& one, const WarpPlace& place) {
  const auto lanes = static_cast<std::uint32_t>(warp_lanes);
  one.warps.resize(launch_.warps());
  for (std::uint32_t w = 0; w < one.warps.size(); ++w) {
    WarpPlace here = place;
    here.warp = w;
    one.warps[w].begin(here, launch_.threads() - w * lanes);
  }
  const auto shared =
      program_.values_of_shared ? launch_.shared_begin + static_cast<std::size_t>(launch_.shared_bytes) : 0;
  if (one.shared.size() == shared)
    one.shared.forget();
  else
    one.shared = KnownBytes(shared);
  one.barriers.clear(), one.tensor_copies.clear();
  one.mbarriers = {};
}

/// Lets warps that wait for memory look at it again; returns whether there are such.
bool BlockRun::look_again() {
  bool any = false;
  for (Resident& one : blocks_) {
    for (ExecutedWarp& warp : one.warps) {
      for (WarpSplit& split : warp.splits) {
        if (split.waits != WarpSplit::Waits::Memory) continue;
        any = true;
        split.waits = WarpSplit::Waits::No;
      }
    }
  }
  return any;
}

Expected<bool> BlockRun::go_on(std::uint64_t& left) {
  look_again();
  std::uint64_t looked = acts_;  // what these blocks had changed when all that wait for memory last looked at it
  for (bool more = true; more;) {
    more = false;
    bool went = false;
    for (Resident& one : blocks_) {
      for (ExecutedWarp& warp : one.warps) {
        went |= turn(warp, left);
        if (error_) return std::unexpected(*error_);
        if (reports(warp) && reader_.enough(warp.position)) return true;
        more |= warp.live != 0;
      }
    }
    if (!more || went || land_copies()) continue;
    if (std::exchange(looked, acts_) != acts_ && look_again()) continue;
    if (waits_for_memory()) return false;
    return std::unexpected(deadlock());
  }
  return true;
}

bool BlockRun::waits_for_memory() const {
  const auto waits = [](const WarpSplit& split) { return split.waits == WarpSplit::Waits::Memory; };
  const auto any = [&](const ExecutedWarp& warp) { return std::ranges::any_of(warp.splits, waits); };
  return std::ranges::any_of(blocks_, [&](const Resident& one) { return std::ranges::any_of(one.warps, any); });
}

Error BlockRun::deadlock() const { return deadlock_error(kernel_, program_, blocks_[subject_].warps); }

/// Runs each split of a warp that does not wait; returns whether there was one.
bool BlockRun::turn(ExecutedWarp& warp, std::uint64_t& left) {
  bool went = false;
  for (std::size_t at = 0; at < warp.splits.size() && !error_;) {
    if (warp.splits[at].waits != WarpSplit::Waits::No) {
      ++at;
      continue;
    }
    went = true;
    if (run_split(warp, at, left)) return true;
    at = 0;
  }
  return went;
}

/// Returns whether its turn is over though it does not wait.
bool BlockRun::run_split(ExecutedWarp& warp, std::size_t at, std::uint64_t& left) {
  for (std::uint64_t steps = 0; steps < limits_.turn; ++steps) {
    const CodeStep& step = program_.steps[warp.splits[at].step];
    if (step.kind == StepKind::Value) {
      warp.evaluate(program_, step, warp.splits[at].lanes);
      ++warp.splits[at].step;
      continue;
    }
    const Went went = execute(warp, at, step);
    if (went == Went::Failed) return true;
    if (went == Went::On) {
      ++warp.splits[at].step;
      continue;
    }
    if (ran_ > left) {
      ran_ = left = 0;
      fail_with("limit", step,
                "the run has more warp instructions than its limit: a loop without an end, or too many blocks");
      return true;
    }
    left -= ran_;
    ran_ = 0;
    if (went != Went::Elsewhere) return false;
  }
  return true;
}

BlockRun::Went BlockRun::execute(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  switch (step.kind) {
    case StepKind::Nothing:
    case StepKind::Value:
      return Went::On;
    case StepKind::ClusterArrive:
      ++warp.cluster_arrivals;
      tell(warp, {.kind = Meeting::Kind::Arrive, .index = step.index, .place = cluster_barrier, .arrivals = 1});
      release_cluster();
      return Went::On;
    case StepKind::ClusterWait:
      return await_cluster(warp, warp.splits[at], step);
    case StepKind::TensorStore:
      return store_tensor(warp, at, step);
    case StepKind::CountedStore:
      return store_counted(warp, at, step);
    case StepKind::Access:
      return access(warp, at, step);
    case StepKind::Copy:
      return copy(warp, at, step);
    case StepKind::Mbarrier:
      return use_mbarrier(warp, at, step);
    case StepKind::Jump:
      return jump(warp, at, step);
    case StepKind::Call:
      return call(warp, at, step);
    case StepKind::Return:
      return come_back(warp, at, step);
    case StepKind::Exit:
      return leave(warp, at, step);
    case StepKind::SetConvergence:
      warp.convergence[step.barrier] = warp.splits[at].lanes;
      return Went::On;
    case StepKind::Converge:
      return converge(warp, at, step);
    case StepKind::Break:
      return break_from(warp, at, step);
    case StepKind::WarpSync:
      return sync_lanes(warp, at, step);
    case StepKind::Barrier:
      return meet(warp, at, step);
    case StepKind::BarrierResult: {
      StepOutputs out;
      out.known = warp.reduced ? all_lanes : 0;
      out.word[0] = same_words(warp.reduced.value_or(0));
      out.predicate[0] = warp.reduced.value_or(0) != 0 ? all_lanes : 0;
      warp.write(step, out, warp.guarded(step, warp.splits[at].lanes), {Origin::Kind::Instruction, step.index});
      return Went::On;
    }
    case StepKind::MoveConvergence:
      if (move_convergence(warp, at, step)) return Went::On;
      break;
    case StepKind::Unfollowed:
      break;
  }
  if (step.index == kernel_.listing.instructions.size())
    return fail_with("unfollowed", program_.steps.front(), "control leaves the kernel's code");
  return fail_with("unfollowed", step, "where control goes is not followed");
}

void BlockRun::close(const ExecutedWarp& warp, WarpSplit& split, std::uint32_t last) {
  if (last < split.begin) return;
  ran_ += last - split.begin + 1;
  if (reports(warp)) reader_.ran(warp.position, split.from, split.begin, last, split.lanes);
  split.begin = split.from = last + 1;
}

std::optional<LaneMask> BlockRun::lanes_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes) {
  const auto [holds, unknown] = warp.guarded(step, lanes);
  if (unknown == 0) return holds;
  fail_unknown(step, warp.origin_of(step.guard), "whether it is executed");
  return std::nullopt;
}

std::optional<std::uint32_t> BlockRun::number_of(const ExecutedWarp& warp, const CodeStep& step, std::size_t source,
                                                 LaneMask lanes, bool upper) {
  const RegisterView registers = warp.view(program_);
  StepSources in(step, registers, warp.position, lanes);
  if (source >= in.count()) {
    fail_with("unfollowed", step, "it lacks an operand");
    return std::nullopt;
  }
  const std::size_t first = first_lane(lanes);
  if (has_lane(upper ? in.known_high(source) : in.known(source), first))
    return (upper ? in.high(source) : in.word(source))[first];
  fail_unknown(step, warp.origin_of(program_, step, lanes), "the operand");
  return std::nullopt;
}

BlockRun::Went BlockRun::fail_unknown(const CodeStep& step, Origin origin, const std::string& what) {
  if (!error_ && !quiet_) error_ = unknown_error(kernel_, launch_, step, origin, what);
  return Went::Failed;
}

BlockRun::Went BlockRun::fail_with(std::string code, const CodeStep& step, const std::string& text) {
  if (!error_ && !quiet_)
    error_ = Error{std::move(code), fmt::format("{}: {}", instruction_place(kernel_, step.index), text), {}};
  return Went::Failed;
}

}  // namespace warpclock
