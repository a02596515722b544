#include "predict/meeting/followed_code.hpp"

#include <algorithm>
#include <utility>

#include "execute/mbarriers.hpp"

namespace warpclock {

FollowedCode::FollowedCode(const LoadedKernel& kernel, std::size_t first, std::size_t end, ExecutedLaunch launch)
    : launch_(std::move(launch)), steps_(end - first, no_step), uses_(end - first) {
  const auto& code = kernel.listing.instructions;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    uses_[i] = mbarrier_use(code[first + i]);
    meets_ |= uses_[i].has_value() || (code[first + i].opcode == "BAR" && code[first + i].operands.size() > 1);
  }
  if (!meets_) return;
  program_ = code_program(kernel, launch_, Follow::Path);
  for (std::size_t s = 0; s + 1 < program_.steps.size(); ++s) {
    const std::size_t index = program_.steps[s].index;
    if (index >= first && index < end) steps_[index - first] = s;
  }
}

bool FollowedCode::names_barrier(std::size_t i) const {
  const CodeStep* const one = step(i);
  return one != nullptr && one->kind == StepKind::Barrier && !one->words.empty() &&
         one->words[0].kind == WordSource::Kind::Register;
}

WarpValues::WarpValues(const FollowedCode& code, int warp) : code_(&code) {
  const ExecutedLaunch& launch = code.launch();
  WarpPlace place{.grid = launch.grid, .threads = launch.block, .warp = static_cast<std::uint32_t>(warp)};
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis) place.block[axis] = launch.grid[axis] / 2;
  place.block[0] -= place.block[0] % launch.cluster;
  const auto before = static_cast<std::uint32_t>(warp_lanes) * place.warp;
  warp_.begin(place, launch.threads() - std::min(launch.threads(), before));
  active_ = warp_.live;
}

void WarpValues::execute(std::size_t i) {
  const CodeStep* const step = code_->step(i);
  if (step == nullptr) return;
  const auto& use = code_->use(i);
  if (use && use->kind == MbarrierUse::Kind::Await) {
    StepOutputs out;
    out.predicate[0] = all_lanes;
    warp_.write(*step, out, {active_, 0}, {});
  } else if (step->kind == StepKind::Value) {
    warp_.evaluate(code_->program(), *step, active_);
  } else {
    warp_.forget(*step, active_, {Origin::Kind::Instruction, step->index});
  }
}

/// BRA.DIV: all lanes jump if one of the mask is elsewhere.
std::optional<LaneMask> WarpValues::elsewhere(const CodeStep& step) const {
  if (waiting_.empty()) return LaneMask{0};
  const RegisterView registers = warp_.view(code_->program());
  StepSources in(step, registers, warp_.position, active_);
  if (in.count() == 0 || !has_lane(in.known(0), first_lane(active_))) return std::nullopt;
  const LaneMask mask = in.word(0)[first_lane(active_)];
  const bool some = std::ranges::any_of(waiting_, [&](const Waiting& one) { return (one.lanes & mask) != 0; });
  return some ? active_ : LaneMask{0};
}

std::optional<LaneMask> WarpValues::lanes_of(std::size_t i) const {
  const CodeStep* const step = code_->step(i);
  if (step == nullptr) return std::nullopt;
  const auto guard = warp_.guarded(*step, active_);
  if ((guard.lanes | guard.unknown) == 0) return LaneMask{0};
  if (step->has(Modifier::Divergent)) {
    const auto parted = elsewhere(*step);
    if (parted == LaneMask{0}) return LaneMask{0};
    return guard.unknown == 0 && parted ? std::optional(guard.lanes & *parted) : std::nullopt;
  }
  ExecutedWarp::Guarded also{active_, 0};
  if (step->kind == StepKind::Jump && !step->predicates.empty()) also = warp_.holding(step->predicates[0], active_);
  if ((also.lanes | also.unknown) == 0) return LaneMask{0};
  if (guard.unknown != 0 || also.unknown != 0) return std::nullopt;
  return guard.lanes & also.lanes;
}

std::optional<std::vector<WarpValues::Address>> WarpValues::addresses(std::size_t i) const {
  const CodeStep* const step = code_->step(i);
  if (step == nullptr || step->addresses.empty()) return std::nullopt;
  const auto guard = warp_.guarded(*step, active_);
  const LaneMask lanes = guard.lanes | guard.unknown;
  if (lanes == 0) return std::vector<Address>();
  AddressSource from = step->addresses[0];
  // The mbarrier of a copy is in the register after the one with its destination.
  if (step->kind == StepKind::Copy)
    from = {.uniform = static_cast<std::uint16_t>(std::min<int>(from.uniform + 1, places::uniform_zero))};
  if ((lanes & ~(warp_.known(from.base) & warp_.known(from.uniform))) != 0) return std::nullopt;
  LaneAddresses addresses;
  for (std::size_t t = 0; t < warp_lanes; ++t)
    addresses[t] = (warp_.word(from.base)[t] << from.shift) + warp_.word(from.uniform)[t] +
                   static_cast<std::uint32_t>(from.offset);
  std::vector<Address> all;
  for (const auto& [at, where] : lanes_by_mbarrier(lanes, addresses)) all.push_back({at, where});
  return all;
}

std::optional<std::uint32_t> WarpValues::number(std::size_t i, bool upper) const {
  const CodeStep* const step = code_->step(i);
  if (step == nullptr || active_ == 0 || step->tensor) return std::nullopt;
  const RegisterView registers = warp_.view(code_->program());
  StepSources in(*step, registers, warp_.position, active_);
  const std::size_t first = first_lane(active_);
  if (in.count() == 0 || !has_lane(upper ? in.known_high(0) : in.known(0), first)) return std::nullopt;
  return (upper ? in.high(0) : in.word(0))[first];
}

std::size_t WarpValues::jump(LaneMask lanes, std::size_t from, std::size_t to) {
  if (lanes == 0) return from + 1;
  const bool back = to <= from;
  if (lanes != active_) {
    waiting_.push_back(back ? Waiting{from + 1, active_ & ~lanes} : Waiting{to, lanes});
    active_ = back ? lanes : active_ & ~lanes;
    return back ? to : from + 1;
  }
  const auto between = [&](const Waiting& one) { return from < one.step && one.step < to; };
  const auto other = std::ranges::find_if(waiting_, between);
  if (other == waiting_.end()) return to;
  const Waiting next = *other;
  *other = {to, active_};
  active_ = next.lanes;
  return next.step;
}

std::optional<std::size_t> WarpValues::leave(LaneMask lanes, std::size_t from) {
  active_ &= ~lanes;
  if (active_ != 0) return from + 1;
  if (waiting_.empty()) return std::nullopt;
  const auto first = std::ranges::min_element(waiting_, {}, &Waiting::step);
  const std::size_t next = first->step;
  active_ = first->lanes;
  waiting_.erase(first);
  return next;
}

void WarpValues::arrive(std::size_t step) {
  std::erase_if(waiting_, [&](const Waiting& one) {
    if (one.step != step) return false;
    active_ |= one.lanes;
    return true;
  });
}

}  // namespace warpclock
