#include <algorithm>
#include <cstdint>
#include <utility>

#include "execute/block_run.hpp"

namespace warpclock {

/// `@P0 BRA`, `@P0 BRA P1, target`, `BRA.U UP0, target`, `BRA.DIV UR4, target`, `@P0 EXIT`.
std::optional<LaneMask> BlockRun::decided(const ExecutedWarp& warp, const CodeStep& step, const WarpSplit& split) {
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes || *lanes == 0) return lanes;
  if (step.has(Modifier::Divergent)) {
    // It is taken if lanes of the mask are elsewhere.
    const auto mask = number_of(warp, step, 0, *lanes);
    if (!mask) return std::nullopt;
    return (*mask & warp.live & ~split.lanes) == 0 ? 0 : *lanes;
  }
  if (step.kind == StepKind::Exit || step.predicates.empty()) return lanes;
  const auto [holds, unknown] = warp.holding(step.predicates[0], *lanes);
  if (unknown == 0) return holds;
  fail_unknown(step, warp.origin_of(step.predicates[0]), "whether it jumps");
  return std::nullopt;
}

std::optional<LaneMask> BlockRun::going(ExecutedWarp& warp, const CodeStep& step, const WarpSplit& split) {
  quiet_ = true;
  const auto lanes = decided(warp, step, split);
  quiet_ = false;
  if (lanes) return lanes;
  const bool asks = program_.follow != Follow::Signals;
  const auto way = asks ? reader_.way(warp.position, step) : std::nullopt;
  if (!way) return decided(warp, step, split);
  for (const CodeStep& each : program_.steps) {
    if (each.index >= way->first && each.index <= way->last)
      warp.forget(each, split.lanes, {Origin::Kind::Instruction, step.index});
  }
  return way->jumps ? split.lanes : 0;
}

BlockRun::Went BlockRun::jump(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto going = this->going(warp, step, split);
  if (!going) return Went::Failed;
  const LaneMask lanes = *going;
  if (lanes == 0) return Went::On;
  const bool nowhere = step.target + 1 >= program_.steps.size();
  if (nowhere) return fail_with("unfollowed", step, "its target is not in the kernel's code");
  close(warp, split, step.index);
  if (lanes != split.lanes) {
    WarpSplit others = split;
    others.lanes &= ~lanes;
    ++others.step;
    split.lanes = lanes;
    split.step = step.target, split.begin = step.target_index, split.from = step.index;
    warp.splits.push_back(others);
    return Went::Elsewhere;
  }
  split.step = step.target, split.begin = step.target_index, split.from = step.index;
  return step.polls ? poll(warp, split) : Went::Elsewhere;
}

/// A warp that comes back with nothing changed goes on only when something else has.
BlockRun::Went BlockRun::poll(const ExecutedWarp& warp, WarpSplit& split) {
  const std::uint64_t before = std::exchange(split.polled, warp.state(split.lanes));
  if (before != split.polled) return Went::Elsewhere;
  split.waits = WarpSplit::Waits::Memory;
  return Went::Waits;
}

BlockRun::Went BlockRun::leave(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = going(warp, step, split);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  close(warp, split, step.index);
  warp.live &= ~*lanes;
  split.lanes &= ~*lanes;
  ++split.step;
  if (split.lanes == 0) warp.splits.erase(warp.splits.begin() + static_cast<std::ptrdiff_t>(at));
  release(warp);
  release_barriers(block_of(warp));
  release_cluster();
  return Went::Ended;
}

/// The code moves the address to return to into a register, which RET reads.
BlockRun::Went BlockRun::call(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  if (*lanes != split.lanes || step.target + 1 >= program_.steps.size())
    return fail_with("unfollowed", step, "what is called is not in the kernel's code, or not by all lanes");
  close(warp, split, step.index);
  split.step = step.target, split.begin = step.target_index, split.from = step.index;
  return Went::Elsewhere;
}

BlockRun::Went BlockRun::come_back(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  const auto to = number_of(warp, step, 0, *lanes);
  if (!to) return Went::Failed;
  const auto& code = kernel_.listing.instructions;
  const auto found = std::ranges::lower_bound(code, *to, {}, &Instruction::address);
  if (*lanes != split.lanes || found == code.end() || found->address != *to)
    return fail_with("unfollowed", step, "it returns to no instruction of the kernel, or not in all lanes");
  close(warp, split, step.index);
  split.begin = static_cast<std::uint32_t>(found - code.begin()), split.from = step.index;
  split.step = program_.step_at[split.begin];
  return Went::Elsewhere;
}

/// BSYNC: lanes wait for all that BSSY saw and that have not left.
bool BlockRun::move_convergence(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const auto where = warp.guarded(step, warp.splits[at].lanes);
  if (where.unknown != 0 || where.lanes == 0) return where.unknown == 0;
  if (!step.results.empty()) {
    StepOutputs out;
    out.word[0] = same_words(warp.convergence[step.barrier]);
    warp.write(step, out, where, {Origin::Kind::Instruction, step.index});
    return true;
  }
  const std::size_t first = first_lane(where.lanes);
  if (step.words.size() != 1 || step.words[0].kind != WordSource::Kind::Register ||
      !has_lane(warp.known(step.words[0].place), first))
    return false;
  warp.convergence[step.barrier] = warp.word(step.words[0].place)[first];
  return true;
}

BlockRun::Went BlockRun::converge(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  if (*lanes != split.lanes) return fail_with("unfollowed", step, "only some lanes converge");
  if ((warp.convergence[step.barrier] & warp.live & ~split.lanes) == 0) return Went::On;
  close(warp, split, step.index);
  ++split.step;
  split.waits = WarpSplit::Waits::Convergence;
  split.on = step.barrier;
  release(warp);
  return Went::Waits;
}

/// WARPSYNC: lanes wait for those of its mask.
BlockRun::Went BlockRun::sync_lanes(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  WarpSplit& split = warp.splits[at];
  if (step.has(Modifier::Collective)) return fail_with("unfollowed", step, "lanes meet in code for parted warps");
  const auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  const auto mask = step.has(Modifier::All) ? std::optional(all_lanes) : number_of(warp, step, 0, *lanes);
  if (!mask) return Went::Failed;
  if ((*mask & warp.live & ~split.lanes) == 0) return Went::On;
  close(warp, split, step.index);
  ++split.step;
  split.waits = WarpSplit::Waits::Sync;
  split.on = *mask;
  release(warp);
  return Went::Waits;
}

BlockRun::Went BlockRun::break_from(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const WarpSplit& split = warp.splits[at];
  auto lanes = lanes_of(warp, step, split.lanes);
  if (!lanes) return Went::Failed;
  if (!step.predicates.empty()) {
    const auto [holds, unknown] = warp.holding(step.predicates[0], *lanes);
    if (unknown != 0) return fail_unknown(step, warp.origin_of(step.predicates[0]), "which lanes break");
    lanes = holds;
  }
  warp.convergence[step.barrier] &= ~*lanes;
  release(warp);
  return Went::On;
}

void BlockRun::release(ExecutedWarp& warp) {
  for (std::size_t i = 0; i < warp.splits.size(); ++i) {
    const WarpSplit one = warp.splits[i];
    const bool convergence = one.waits == WarpSplit::Waits::Convergence;
    if (!convergence && one.waits != WarpSplit::Waits::Sync) continue;
    LaneMask here = 0;
    const auto same = [&](const WarpSplit& other) {
      return other.waits == one.waits && (other.on == one.on || !convergence) && other.step == one.step;
    };
    for (const WarpSplit& other : warp.splits) here |= same(other) ? other.lanes : 0;
    const LaneMask wanted = (convergence ? warp.convergence[one.on] : one.on) & warp.live;
    if ((wanted & ~here) != 0) continue;
    WarpSplit all = one;
    all.lanes = here;
    all.waits = WarpSplit::Waits::No;
    std::erase_if(warp.splits, same);
    warp.splits.push_back(all);
    i = static_cast<std::size_t>(-1);
  }
}

}  // namespace warpclock
