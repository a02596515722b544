#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "predict/memory/lane_exact.hpp"
#include "predict/memory/lane_source.hpp"
#include "predict/memory/lane_state.hpp"

namespace warpclock {
namespace {

constexpr unsigned register_bits = 32;

class Evaluation {
 public:
  Evaluation(const LaneOperation& operation, const LaneLaunch& launch, const LaneState& seen, LaneState& state)
      : what_(operation), launch_(launch), seen_(seen), state_(state) {}

  void run() {
    if (what_.call && !what_.clobbers) return state_.forget();
    if (what_.call) {
      for (const Register reg : *what_.clobbers) state_.set(reg, nullptr);
      return;
    }
    if (what_.writes.empty()) return;
    const LaneRef guard = guard_of(what_, state_);
    if (const auto results = exact()) {
      for (std::size_t i = 0; i < what_.writes.size(); ++i) write(what_.writes[i], (*results)[i], guard);
      return;
    }
    LaneRef low = first();
    const bool zeros = what_.opcode == "CS2R" && low && low->known();
    const bool several = what_.writes.size() > 1;
    const LaneRef others = zeros ? low : several ? of_sources() : nullptr;
    for (std::size_t i = 0; i < what_.writes.size(); ++i)
      write(what_.writes[i], i == 0 ? low : after_first(i, others), guard);
  }

 private:
  [[nodiscard]] bool has(std::string_view modifier) const {
    return std::ranges::find(what_.modifiers, modifier) != what_.modifiers.end();
  }

  void write(Register reg, LaneRef value, const LaneRef& guard) {
    const bool uniform = reg.file == RegisterFile::Uniform || reg.file == RegisterFile::UniformPredicate;
    if (uniform && (!value || !value->same_in_warps())) value = shared_number(0, true, Axes::All);
    const bool open = guard && !guard->known();
    state_.set(reg, chosen(guard, value, state_.at(reg)));
    if (what_.guard && (!guard || open) && what_.guard->reg != reg)
      state_.set_under(*what_.guard, reg, std::move(value));
  }

  [[nodiscard]] LaneRef source(std::size_t i) const {
    return i < what_.sources.size() ? value_of(what_.sources[i]) : nullptr;
  }

  /// The value of an operand without its sign, or of the word after it.
  [[nodiscard]] LaneRef plain_value(const LaneOperand& operand, bool after = false) const {
    using Kind = LaneOperand::Kind;
    constexpr std::uint32_t word = 4;
    if (operand.kind == Kind::Register)
      return seen_.at(after ? Register{operand.reg.file, operand.reg.index + 1} : operand.reg);
    if (operand.kind == Kind::Immediate) return constant_lanes(after ? 0 : operand.number);
    if (operand.kind == Kind::Constant) return from_bank(operand.number + (after ? word : 0));
    return operand.kind == Kind::Special ? special_value(launch_, operand.text) : nullptr;
  }

  /// The results of an instruction all of whose inputs are known.
  [[nodiscard]] std::optional<std::vector<LaneRef>> exact() const {
    if (!is_exact(what_)) return std::nullopt;
    ExactLanes lanes;
    auto& [low, high, carries] = lanes;
    std::size_t threads = 1;
    const auto known = [&](const LaneRef& value) {
      if (!value || !value->known() || value->scattered) return false;
      threads = std::max(threads, value->offsets.size());
      return true;
    };
    for (std::size_t i = 0; i < what_.sources.size(); ++i) {
      low[i] = plain_value(what_.sources[i]);
      if (!known(low[i])) return std::nullopt;
      if (!reads_pair(what_, i)) continue;
      high[i] = plain_value(what_.sources[i], true);
      if (!known(high[i])) return std::nullopt;
    }
    for (std::size_t i = 0; i < std::min(carries.size(), what_.carries.size()); ++i) {
      carries[i] = value_of(what_.carries[i]);
      if (!known(carries[i])) return std::nullopt;
    }
    return exact_lanes(what_, lanes, threads);
  }

  /// Further words of an argument that is read as a whole.
  [[nodiscard]] LaneRef after_first(std::size_t i, const LaneRef& others) const {
    constexpr std::uint32_t word = 4;
    const bool reads = what_.opcode == "LDC" && !what_.sources.empty();
    if (!reads || what_.sources[0].kind != LaneOperand::Kind::Constant) return others;
    const LaneRef value = from_bank(what_.sources[0].number + word * static_cast<std::uint32_t>(i));
    return value->known() ? value : others;
  }

  [[nodiscard]] LaneRef value_of(const LaneOperand& operand) const {
    using Kind = LaneOperand::Kind;
    LaneRef value = plain_value(operand);
    constexpr unsigned flip = 0x0f;
    if (operand.negative) value = negative_of(value);
    const bool predicate = operand.kind == Kind::Register && (operand.reg.file == RegisterFile::Predicate ||
                                                              operand.reg.file == RegisterFile::UniformPredicate);
    if (operand.inverted)
      value = predicate ? sum_of(constant_lanes(1), negative_of(value))
                        : bitwise_of(flip, value, constant_lanes(0), constant_lanes(0));
    return value;
  }

  [[nodiscard]] LaneRef from_bank(std::uint32_t offset) const {
    return bank_value(launch_, offset, has("64") || has("WIDE") || what_.writes.size() > 1);
  }

  /// What memory holds: one value, if the address is one or the buffer holds no other.
  [[nodiscard]] LaneRef loaded() const {
    for (const LaneOperand& operand : what_.sources) {
      if (operand.kind != LaneOperand::Kind::Address) continue;
      const LaneRef address = address_of(operand.text, seen_);
      if (!address) continue;
      if (launch_.equal_buffers.contains(address->parameter)) return shared_number(0, false, Axes::None);
      if (address->same_in_warps()) return shared_number(0, true, Axes::All);
    }
    return scattered_number();
  }

  /// A number of which no more is known than who shares it, by all that is read.
  [[nodiscard]] LaneRef of_sources() const {
    if (what_.load) return loaded();
    bool by_warp = false, scattered = false;
    Axes axes = Axes::None;
    for (const LaneOperand& operand : what_.sources) {
      if (operand.kind == LaneOperand::Kind::Other || operand.kind == LaneOperand::Kind::Address) return nullptr;
      const LaneRef value = value_of(operand);
      if (!value || (!value->scattered && !value->same_in_warps())) return nullptr;
      scattered |= value->scattered;
      by_warp |= value->by_warp || !value->same_for_all();
      axes |= value->axes;
    }
    return scattered ? scattered_number() : shared_number(0, by_warp, axes);
  }

  [[nodiscard]] LaneRef first() const {
    if (what_.constant) return constant_lanes(*what_.constant);
    const std::string_view opcode = what_.opcode;
    const bool upper = has("X") || (has("HI") && opcode != "LEA" && opcode != "SHF");
    if (opcode == "MOV" || opcode == "S2R" || opcode == "S2UR" || opcode == "LDC" || opcode == "R2UR" ||
        opcode == "CS2R")
      return moved();
    if (!upper && (opcode == "IADD3" || opcode == "IADD" || opcode == "VIADD")) return added();
    if (!upper && opcode == "IMAD") return sum_of(product_of(source(0), source(1)), source(2));
    if (!upper && opcode == "LEA") return scaled();
    if (opcode == "SHF") return funnel();
    if (opcode == "LOP3") return logic();
    if (opcode == "PLOP3") return of_predicates();
    if (opcode == "PRMT") return bytes();
    if (opcode == "ELECT") return elected();
    if (opcode == "SEL") return chosen(source(2), source(0), source(1));
    if (opcode == "ISETP") return compared();
    if (opcode == "VOTE" || opcode == "VOTEU") return voted();
    if (opcode == "SHFL" || opcode == "REDUX") return exchanged();
    return of_sources();
  }

  [[nodiscard]] LaneRef moved() const {
    const LaneRef value = source(0);
    return value || what_.opcode != "LDC" ? value : of_sources();
  }

  [[nodiscard]] LaneRef added() const {
    LaneRef sum = constant_lanes(0);
    for (const LaneOperand& operand : what_.sources) sum = sum_of(sum, value_of(operand));
    return sum;
  }

  /// LEA d, a, b, shift, and LEA.HI d, a, b, c, shift, which adds the upper word of c:a << shift.
  [[nodiscard]] LaneRef scaled() const {
    const bool high = has("HI");
    const LaneOperand* shift = what_.sources.size() > (high ? 3U : 2U) ? &what_.sources.back() : nullptr;
    if (shift == nullptr || shift->kind != LaneOperand::Kind::Immediate || shift->number >= register_bits)
      return of_sources();
    if (!high) return sum_of(shifted_left(source(0), shift->number), source(1));
    const LaneRef above = source(2);
    if (!above || !above->known() || !above->same_for_all() || above->offsets.front() != 0 || shift->number == 0)
      return of_sources();
    return sum_of(shifted_right(source(0), register_bits - shift->number, has("SX32")), source(1));
  }

  /// SHF.L.U32 d, low, shift, high and SHF.R.U32.HI d, low, shift, high, with a zero for the other word.
  [[nodiscard]] LaneRef funnel() const {
    const LaneRef shift = source(1);
    if (!shift || !shift->known() || !shift->same_for_all()) return of_sources();
    const unsigned bits = shift->offsets.front();
    if (has("L") && !has("HI") && bits < register_bits) return shifted_left(source(0), bits);
    if (has("R") && has("HI") && (has("U32") || has("S32"))) return shifted_right(source(2), bits, has("S32"));
    return of_sources();
  }

  [[nodiscard]] LaneRef logic() const {
    if (what_.sources.size() < 4 || what_.sources[3].kind != LaneOperand::Kind::Immediate) return of_sources();
    LaneRef made = bitwise_of(what_.sources[3].number, source(0), source(1), source(2));
    const bool predicate = !what_.writes.empty() && what_.writes.front().file != RegisterFile::Vector &&
                           what_.writes.front().file != RegisterFile::Uniform;
    if (!made || (predicate && !made->known())) return of_sources();
    if (!predicate) return made;
    std::vector<std::uint32_t> any = made->offsets;
    for (std::uint32_t& one : any) one = one != 0 ? 1 : 0;
    return own_lanes(std::move(any));
  }

  /// PLOP3 d, e, a, b, c, table, table: d by the first table.
  [[nodiscard]] LaneRef of_predicates() const {
    if (what_.sources.size() < 4 || what_.sources[3].kind != LaneOperand::Kind::Immediate) return of_sources();
    constexpr unsigned both = 0xc0;
    const LaneRef made = bitwise_of(what_.sources[3].number, source(0), source(1), source(2));
    return made && made->known() ? bitwise_of(both, made, constant_lanes(1), constant_lanes(0)) : of_sources();
  }

  /// The first lane of each warp; which one the hardware chooses makes no difference.
  [[nodiscard]] LaneRef elected() const {
    std::vector<std::uint32_t> lanes(std::max<std::size_t>(launch_.threads, 1), 0);
    for (std::size_t t = 0; t < lanes.size(); t += warp_lanes) lanes[t] = 1;
    return own_lanes(std::move(lanes));
  }

  [[nodiscard]] LaneRef bytes() const {
    const bool plain = what_.sources.size() == 3 && what_.sources[1].kind == LaneOperand::Kind::Immediate;
    const LaneRef made = plain ? permuted(source(0), what_.sources[1].number, source(2)) : nullptr;
    return made ? made : of_sources();
  }

  [[nodiscard]] LaneRef compared() const {
    const LaneRef a = source(0), b = source(1), also = source(2);
    if (launch_.unknown_differ && also && also->known() && (!a || !a->known() || !b || !b->known())) {
      if (!has("EQ") && !has("NE")) return of_sources();
      return combined(constant_lanes(has("NE") ? 1 : 0), also);
    }
    if (!a || !b || !also || !a->known() || !b->known() || !also->known() || has("EX")) return of_sources();
    std::vector<std::uint32_t> holds(std::max(a->offsets.size(), b->offsets.size()));
    for (std::size_t t = 0; t < holds.size(); ++t) {
      const auto is = comparison(what_, a->at(t), b->at(t));
      if (!is) return of_sources();
      holds[t] = *is ? 1 : 0;
    }
    return combined(own_lanes(std::move(holds)), also);
  }

  /// A comparison's predicate together with the one that it names.
  [[nodiscard]] LaneRef combined(const LaneRef& is, const LaneRef& also) const {
    constexpr unsigned both = 0xc0, either = 0xfc, one = 0x3c;  // of the first two operands
    return bitwise_of(has("OR") ? either : has("XOR") ? one : both, is, also, constant_lanes(0));
  }

  /// Whether a predicate holds in all or in any of the lanes that execute this, if its result is a predicate.
  [[nodiscard]] LaneRef voted() const {
    const LaneRef value = source(0);
    const bool predicate = what_.writes.front().file == RegisterFile::Predicate ||
                           what_.writes.front().file == RegisterFile::UniformPredicate;
    if (!predicate || !launch_.active || !value || !value->known() || !(has("ALL") || has("ANY"))) return exchanged();
    std::uint32_t holds = 0;
    for (std::size_t t = 0; t < warp_lanes; ++t) holds |= value->at(t) << t;
    holds &= *launch_.active;
    return constant_lanes((has("ALL") ? holds == *launch_.active : holds != 0) ? 1 : 0);
  }

  /// What a warp has together is the same in its lanes.
  [[nodiscard]] LaneRef exchanged() const {
    if (what_.opcode != "SHFL") return shared_number(0, true, Axes::All);
    LaneRef value = source(0);
    const LaneRef lane = source(1);
    if (value && value->same_in_warps()) return value;
    if (has("IDX") && lane && lane->same_in_warps()) return shared_number(0, true, Axes::All);
    return value && value->scattered ? value : nullptr;
  }

  const LaneOperation& what_;
  const LaneLaunch& launch_;
  const LaneState& seen_;  ///< what it reads
  LaneState& state_;
};

}  // namespace

void evaluate(const LaneOperation& operation, const LaneLaunch& launch, LaneState& state) {
  if (!operation.guard || !state.knows_under(*operation.guard))
    return Evaluation(operation, launch, state, state).run();
  const LaneState seen = state.under(*operation.guard);
  Evaluation(operation, launch, seen, state).run();
}

}  // namespace warpclock
