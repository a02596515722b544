#include "predict/meeting/followed_code.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "code/flow.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

bool leaves(const Instruction& instruction) { return instruction.opcode == "EXIT"; }

void add(std::set<Register>& wanted, const std::vector<Register>& registers) {
  wanted.insert(registers.begin(), registers.end());
}

void add_sources(std::set<Register>& wanted, const Effects& effects) {
  for (const auto& source : effects.sources) add(wanted, source);
  add(wanted, effects.guard);
}

/// "[UR9]" of a copy is in the register after its first operand.
void add_address(std::set<Register>& wanted, const MbarrierUse& use) {
  if (use.kind != MbarrierUse::Kind::Copy) return;
  if (const auto reg = parse_register(use.address.substr(1, use.address.size() - 2))) wanted.insert(*reg);
}

}  // namespace

FollowedCode::FollowedCode(const Listing& listing, std::size_t first, std::size_t end, LaneLaunch launch)
    : operations_(end - first),
      uses_(end - first),
      barriers_(end - first),
      conditions_(end - first),
      launch_(std::move(launch)) {
  launch_.first_of_cluster = launch_.unknown_differ = true;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Instruction& instruction = listing.instructions[first + i];
    uses_[i] = mbarrier_use(instruction);
    meets_ |= uses_[i].has_value() || (instruction.opcode == "BAR" && instruction.operands.size() > 1);
  }
  if (!meets_) return;
  std::set<Register> wanted;
  std::vector<Effects> effects;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Instruction& instruction = listing.instructions[first + i];
    effects.push_back(effects_of(instruction));
    if (uses_[i]) {
      add_sources(wanted, effects.back());
      add_address(wanted, *uses_[i]);
      operations_[i] = lane_operation(instruction);
    }
    if (instruction.opcode == "BAR" && !instruction.operands.empty()) {
      barriers_[i] = parse_register(instruction.operands.front());
      add_sources(wanted, effects.back());
      operations_[i] = lane_operation(instruction);
    }
    if (!is_jump(instruction) && !leaves(instruction)) continue;
    add_sources(wanted, effects.back());
    operations_[i] = lane_operation(instruction);
    if (instruction.operands.size() < 2) continue;
    // "@!P0 BRA P1, target", "BRA.U UP0, target", and "BRA.DIV UR4, target".
    Instruction as_guard;
    as_guard.opcode = "NOP";
    as_guard.predicate = instruction.operands.front();
    conditions_[i] = lane_operation(as_guard).guard;
    if (const auto reg =
            parse_register(std::string_view(as_guard.predicate).substr(as_guard.predicate.starts_with('!'))))
      wanted.insert(*reg);
  }
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const auto is_wanted = [&](Register reg) { return wanted.contains(reg); };
      if (operations_[i] || std::ranges::none_of(effects[i].writes, is_wanted)) continue;
      add_sources(wanted, effects[i]);
      operations_[i] = lane_operation(listing.instructions[first + i]);
      more = true;
    }
  }
}

WarpValues::WarpValues(const FollowedCode& code, int warp) : code_(&code), launch_(code.launch()) {
  launch_.first_thread = static_cast<std::size_t>(warp) * warp_lanes;
  launch_.threads = warp_lanes;
}

void WarpValues::execute(std::size_t i) {
  const auto& operation = code_->operation(i);
  if (!operation) return;
  const auto& use = code_->use(i);
  launch_.active = active_;
  if (!use) return evaluate(*operation, launch_, state_);
  for (const Register reg : operation->writes)
    state_.set(reg, use->kind == MbarrierUse::Kind::Await ? constant_lanes(1) : nullptr);
}

std::optional<WarpValues::Lanes> WarpValues::lanes_where(const LaneRef& value) const {
  if (!value || !value->known()) return std::nullopt;
  Lanes lanes = 0;
  for (std::size_t t = 0; t < warp_lanes; ++t) lanes |= value->at(t) != 0 ? Lanes{1} << t : 0;
  return lanes;
}

/// BRA.DIV: all lanes jump if one of the mask is elsewhere.
std::optional<WarpValues::Lanes> WarpValues::parted(const LaneRef& mask) const {
  if (waiting_.empty()) return Lanes{0};
  if (!mask || !mask->known()) return std::nullopt;
  const bool elsewhere =
      std::ranges::any_of(waiting_, [&](const Waiting& one) { return (one.lanes & mask->at(0)) != 0; });
  return elsewhere ? ~Lanes{0} : Lanes{0};
}

LaneRef WarpValues::value_of(const LaneOperand& operand) const {
  if (operand.kind == LaneOperand::Kind::Immediate) return constant_lanes(operand.number);
  if (operand.kind != LaneOperand::Kind::Register) return nullptr;
  const LaneRef& value = state_.at(operand.reg);
  return operand.inverted ? sum_of(constant_lanes(1), negative_of(value)) : value;
}

std::optional<WarpValues::Lanes> WarpValues::lanes_of(std::size_t i) const {
  const auto guard = lanes_where(guard_of(*code_->operation(i), state_));
  const auto& condition = code_->condition(i);
  const bool mask = condition && condition->reg.file == RegisterFile::Uniform;
  const auto also = mask        ? parted(state_.at(condition->reg))
                    : condition ? lanes_where(value_of(*condition))
                                : std::optional(~Lanes{0});
  if (guard && (*guard & active_) == 0) return 0;
  if (also && (*also & active_) == 0) return 0;
  if (!guard || !also) return std::nullopt;
  return *guard & *also & active_;
}

std::optional<std::vector<WarpValues::Address>> WarpValues::addresses(std::size_t i) const {
  const LaneRef address = address_of(code_->use(i)->address, state_);
  const Lanes lanes = lanes_where(guard_of(*code_->operation(i), state_)).value_or(~Lanes{0}) & active_;
  if (lanes == 0) return std::vector<Address>();
  if (!address || address->scattered) return std::nullopt;
  std::map<std::uint32_t, Lanes> by_address;
  for (std::size_t t = 0; t < warp_lanes; ++t) {
    if ((lanes >> t & 1U) != 0) by_address[address->at(t)] |= Lanes{1} << t;
  }
  std::vector<Address> all;
  for (const auto& [at, where] : by_address) all.push_back({at, where});
  return all;
}

std::optional<std::uint32_t> WarpValues::number(std::size_t i) const {
  const LaneRef value = value_of(code_->use(i)->number);
  if (!value || !value->known() || active_ == 0) return std::nullopt;
  return value->at(static_cast<std::size_t>(std::countr_zero(active_)));
}

std::optional<std::uint32_t> WarpValues::barrier(std::size_t i) const {
  const LaneRef& value = state_.at(*code_->barrier(i));
  if (!value || !value->known()) return std::nullopt;
  return value->at(0);
}

std::size_t WarpValues::jump(Lanes lanes, std::size_t from, std::size_t to) {
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

std::optional<std::size_t> WarpValues::leave(Lanes lanes, std::size_t from) {
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
