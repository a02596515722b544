#include "predict/meeting/followed_code.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <utility>

#include "code/flow.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

bool leaves(const Instruction& instruction) { return instruction.opcode == "EXIT"; }

constexpr std::size_t most_registers = 640;
using Registers = std::bitset<most_registers>;

std::size_t place_of(Register reg) {
  constexpr std::size_t vector = 256, predicates = 16;
  const auto index = static_cast<std::size_t>(reg.index);
  switch (reg.file) {
    case RegisterFile::Vector:
      return index % vector;
    case RegisterFile::Uniform:
      return vector + index % vector;
    case RegisterFile::Predicate:
      return 2 * vector + index % predicates;
    case RegisterFile::UniformPredicate:
      break;
  }
  return 2 * vector + predicates + index % predicates;
}

void add(Registers& wanted, const std::vector<Register>& registers) {
  for (const Register reg : registers) wanted.set(place_of(reg));
}

Registers sources_of(const Effects& effects) {
  Registers all;
  for (const auto& source : effects.sources) add(all, source);
  add(all, effects.guard);
  return all;
}

/// "[UR9]" of a copy is in the register after its first operand.
void add_address(Registers& wanted, const MbarrierUse& use) {
  if (use.kind != MbarrierUse::Kind::Copy) return;
  if (const auto reg = parse_register(use.address.substr(1, use.address.size() - 2))) wanted.set(place_of(*reg));
}

/// What an instruction of a slice reads and writes.
struct SliceStep {
  Registers reads, writes, wants;  ///< wants: reads for itself, whatever comes later
  bool overwrites = false;         ///< what it writes does not matter before it
  std::vector<std::size_t> next;
};

/// Which instructions write what is wanted later on some way.
std::vector<bool> slice_of(const std::vector<SliceStep>& steps) {
  std::vector<Registers> wanted(steps.size());
  std::vector<bool> is(steps.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = steps.size(); i > 0; --i) {
      const SliceStep& step = steps[i - 1];
      Registers after;
      for (const std::size_t next : step.next) after |= wanted[next];
      Registers before = after | step.wants;
      if ((after & step.writes).any()) {
        is[i - 1] = true;
        if (step.overwrites) before &= ~step.writes;
        before |= step.reads | step.wants;
      }
      if ((before & ~wanted[i - 1]).none()) continue;
      wanted[i - 1] |= before;
      more = true;
    }
  }
  return is;
}

}  // namespace

FollowedCode::FollowedCode(const Listing& listing, std::size_t first, std::size_t end, LaneLaunch launch,
                           Following what)
    : operations_(end - first),
      uses_(end - first),
      barriers_(end - first),
      conditions_(end - first),
      launch_(std::move(launch)) {
  launch_.first_of_cluster = true;
  launch_.unknown_differ = what == Following::Meetings;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Instruction& instruction = listing.instructions[first + i];
    uses_[i] = mbarrier_use(instruction);
    meets_ |= uses_[i].has_value() || (instruction.opcode == "BAR" && instruction.operands.size() > 1);
  }
  if (!meets_ && what == Following::Meetings) return;
  std::vector<SliceStep> steps(operations_.size());
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const Instruction& instruction = listing.instructions[first + i];
    const Effects effects = effects_of(instruction);
    SliceStep& step = steps[i];
    step.reads = sources_of(effects);
    add(step.writes, effects.writes);
    step.overwrites = !effects.conditional && effects.guard.empty();
    for (const std::size_t next : successors(listing, first + i)) {
      if (next >= first && next < end) step.next.push_back(next - first);
    }
    bool wanted = uses_[i].has_value() || is_jump(instruction) || leaves(instruction);
    if (uses_[i]) add_address(step.wants, *uses_[i]);
    if (instruction.opcode == "BAR" && !instruction.operands.empty()) {
      barriers_[i] = parse_register(instruction.operands.front());
      wanted = true;
    }
    if (!wanted) continue;
    step.wants |= step.reads;
    operations_[i] = lane_operation(instruction);
    if (uses_[i] || instruction.opcode == "BAR" || instruction.operands.size() < 2) continue;
    // "@!P0 BRA P1, target", "BRA.U UP0, target", and "BRA.DIV UR4, target".
    Instruction as_guard;
    as_guard.opcode = "NOP";
    as_guard.predicate = instruction.operands.front();
    conditions_[i] = lane_operation(as_guard).guard;
    if (const auto reg =
            parse_register(std::string_view(as_guard.predicate).substr(as_guard.predicate.starts_with('!'))))
      step.wants.set(place_of(*reg));
  }
  const std::vector<bool> slice = slice_of(steps);
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (slice[i] && !operations_[i]) operations_[i] = lane_operation(listing.instructions[first + i]);
  }
}

WarpValues::WarpValues(const FollowedCode& code, int warp, std::optional<std::array<std::uint32_t, 3>> block)
    : code_(&code), launch_(code.launch()) {
  launch_.block_index = block;
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
