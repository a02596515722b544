#include "predict/memory/lane_value.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <utility>

namespace warpclock {
namespace {

constexpr int value_bits = 32;

LaneRef ref(LaneValue value) {
  const auto& offsets = value.offsets;
  if (std::ranges::all_of(offsets, [&](std::uint32_t one) { return one == offsets.front(); })) value.offsets.resize(1);
  return std::make_shared<const LaneValue>(std::move(value));
}

/// What the result takes over from its operands; `zeros` and the offsets are still to be set.
LaneValue made_from(std::initializer_list<const LaneValue*> operands) {
  LaneValue made;
  for (const LaneValue* one : operands) {
    made.by_warp |= one->by_warp;
    made.axes |= one->axes;
    made.scattered |= one->scattered;
    if (one->parameter == LaneValue::no_parameter) continue;
    const bool first = made.parameter == LaneValue::no_parameter;
    made.parameter = first || made.parameter == one->parameter ? one->parameter : LaneValue::no_parameter;
  }
  return made;
}

template <class F>
void set_offsets(LaneValue& made, std::initializer_list<const LaneValue*> operands, F each) {
  std::size_t size = 1;
  for (const LaneValue* one : operands) size = std::max(size, one->offsets.size());
  made.offsets.resize(size);
  for (std::size_t t = 0; t < size; ++t) made.offsets[t] = each(t);
}

/// The factor of two of the whole value, if all threads share it.
int zeros_of(const LaneValue& value) {
  const std::uint32_t offset = value.offsets.front();
  return offset == 0 ? value.zeros : std::min(value.zeros, std::countr_zero(offset));
}

std::uint32_t table_bits(unsigned table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t bits = 0;
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    bits |= ((row & 4U) != 0 ? a : ~a) & ((row & 2U) != 0 ? b : ~b) & ((row & 1U) != 0 ? c : ~c);
  }
  return bits;
}

/// The bits of a LOP3 from `zeros` on. An operand with a shared number has unknown bits there.
struct HighBits {
  std::uint32_t unknown = 0;  ///< those that unknown bits decide
  std::uint32_t bits = 0;     ///< with unknown bits as 0
};

HighBits high_bits(unsigned table, const std::array<const LaneValue*, 3>& operands, std::size_t thread,
                   std::uint32_t mask) {
  std::array<std::uint32_t, 3> low{}, high{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    low[i] = operands[i]->known() ? operands[i]->at(thread) : 0;
    high[i] = operands[i]->known() ? operands[i]->at(thread) : ~0U;
  }
  HighBits result;
  result.bits = table_bits(table, low[0], low[1], low[2]) & mask;
  for (unsigned which = 1; which < 8; ++which) {
    const auto pick = [&](std::size_t i) { return (which >> i & 1U) != 0 ? high[i] : low[i]; };
    result.unknown |= (table_bits(table, pick(0), pick(1), pick(2)) & mask) ^ result.bits;
  }
  return result;
}

}  // namespace

bool LaneValue::same_in_warps() const {
  if (scattered) return false;
  for (std::size_t t = 1; t < offsets.size(); ++t) {
    if (t % warp_lanes != 0 && offsets[t] != offsets[t - 1]) return false;
  }
  return true;
}

LaneRef constant_lanes(std::uint32_t value) { return ref(LaneValue{.offsets = {value}}); }

LaneRef own_lanes(std::vector<std::uint32_t> values) { return ref(LaneValue{.offsets = std::move(values)}); }

LaneRef shared_number(int zeros, bool by_warp, Axes axes) {
  return ref(LaneValue{.zeros = std::min(zeros, value_bits - 1), .by_warp = by_warp, .axes = axes});
}

LaneRef scattered_number() { return ref(LaneValue{.zeros = 0, .by_warp = true, .axes = Axes::All, .scattered = true}); }

LaneRef sum_of(const LaneRef& a, const LaneRef& b) {
  if (!a || !b) return nullptr;
  LaneValue made = made_from({a.get(), b.get()});
  made.zeros = std::min(a->zeros, b->zeros);
  set_offsets(made, {a.get(), b.get()}, [&](std::size_t t) { return a->at(t) + b->at(t); });
  return ref(std::move(made));
}

LaneRef negative_of(const LaneRef& a) {
  if (!a) return nullptr;
  LaneValue made = made_from({a.get()});
  made.zeros = a->zeros;
  set_offsets(made, {a.get()}, [&](std::size_t t) { return 0U - a->at(t); });
  return ref(std::move(made));
}

LaneRef product_of(const LaneRef& a, const LaneRef& b) {
  if (!a || !b) return nullptr;
  LaneValue made = made_from({a.get(), b.get()});
  if (a->known() && b->known()) {
    set_offsets(made, {a.get(), b.get()}, [&](std::size_t t) { return a->at(t) * b->at(t); });
    return ref(std::move(made));
  }
  made.parameter = LaneValue::no_parameter;
  const LaneValue &other = a->known() ? *a : *b, &based = a->known() ? *b : *a;
  if (other.known() && other.same_for_all()) {
    const std::uint32_t factor = other.offsets.front();
    if (factor == 0) return constant_lanes(0);
    made.zeros = std::min(based.zeros + std::countr_zero(factor), value_bits - 1);
    set_offsets(made, {&based}, [&](std::size_t t) { return based.at(t) * factor; });
    return ref(std::move(made));
  }
  if (made.scattered) return scattered_number();
  if (!a->same_for_all() || !b->same_for_all()) return nullptr;
  made.zeros = std::min(zeros_of(*a) + zeros_of(*b), value_bits - 1);
  return ref(std::move(made));
}

LaneRef shifted_left(const LaneRef& a, unsigned bits) {
  if (bits >= value_bits) return a ? constant_lanes(0) : nullptr;
  return product_of(a, constant_lanes(1U << bits));
}

LaneRef shifted_right(const LaneRef& a, unsigned bits, bool arithmetic) {
  if (!a) return nullptr;
  const unsigned most = arithmetic ? value_bits - 1 : value_bits;
  bits = std::min(bits, most);
  if (bits == 0) return a;
  LaneValue made = made_from({a.get()});
  made.parameter = LaneValue::no_parameter;
  const auto shift = [&](std::uint32_t value, bool negative) {
    if (negative) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value) >> bits);
    return bits == value_bits ? 0U : value >> bits;
  };
  if (a->known()) {
    set_offsets(made, {a.get()}, [&](std::size_t t) { return shift(a->at(t), arithmetic); });
    return ref(std::move(made));
  }
  // No carry goes from the offset's bits into the shared number's, except whole units of it.
  if (a->zeros >= static_cast<int>(bits)) {
    made.zeros = a->zeros - static_cast<int>(bits);
    set_offsets(made, {a.get()}, [&](std::size_t t) { return shift(a->at(t), true); });
    return ref(std::move(made));
  }
  if (a->scattered) return scattered_number();
  return a->same_for_all() ? shared_number(0, a->by_warp, a->axes) : nullptr;
}

LaneRef bitwise_of(unsigned table, const LaneRef& a, const LaneRef& b, const LaneRef& c) {
  if (!a || !b || !c) return nullptr;
  const std::array<const LaneValue*, 3> operands = {a.get(), b.get(), c.get()};
  const auto all = {a.get(), b.get(), c.get()};
  LaneValue made = made_from(all);
  const int zeros = std::min({a->zeros, b->zeros, c->zeros});
  const std::uint32_t mask = zeros >= value_bits ? 0 : ~0U << zeros;
  set_offsets(made, all, [&](std::size_t t) { return table_bits(table, a->at(t), b->at(t), c->at(t)) & ~mask; });
  if (mask == 0) return ref(std::move(made));
  const bool one_unknown = std::ranges::count_if(all, [](const LaneValue* one) { return !one->known(); }) == 1;
  bool same = true;
  HighBits first;
  std::uint32_t unknown = 0;
  std::vector<std::uint32_t> high(made.offsets.size());
  for (std::size_t t = 0; t < high.size(); ++t) {
    const HighBits bits = high_bits(table, operands, t, mask);
    unknown |= bits.unknown;
    high[t] = bits.bits;
    if (t == 0) first = bits;
    // What one unknown number becomes is said by what its zeros and ones become.
    same = same && bits.bits == first.bits && bits.unknown == first.unknown;
    for (const LaneValue* one : operands)
      same = same && ((one_unknown && one->known()) || (one->at(t) & mask) == (one->at(0) & mask));
  }
  if (unknown == 0) {
    for (std::size_t t = 0; t < high.size(); ++t) made.offsets[t] |= high[t];
    made.parameter = LaneValue::no_parameter;
    made.scattered = false;
    return ref(std::move(made));
  }
  if (!same) return made.scattered ? scattered_number() : nullptr;
  made.zeros = std::countr_zero(unknown);
  const std::uint32_t below = ~(~0U << made.zeros);
  for (std::size_t t = 0; t < high.size(); ++t) made.offsets[t] |= high[t] & below;
  return ref(std::move(made));
}

LaneRef permuted(const LaneRef& a, std::uint32_t selector, const LaneRef& c) {
  constexpr unsigned and_table = 0xc0, or_table = 0xfc, sign = 8, second = 4;
  constexpr int byte_bits = 8;
  const LaneRef zero = constant_lanes(0);
  LaneRef result = zero;
  // The bytes of an operand that move by the same distance are one shift and one mask.
  for (unsigned operand = 0; operand < 2; ++operand) {
    for (int distance = -3; distance <= 3; ++distance) {
      std::uint32_t mask = 0;
      for (int to = 0; to < 4; ++to) {
        const std::uint32_t digit = selector >> 4 * to & 0xfU;
        if ((digit & sign) != 0) return nullptr;
        const bool is = (digit & second) == second * operand && to - static_cast<int>(digit & 3U) == distance;
        if (is) mask |= 0xffU << byte_bits * to;
      }
      if (mask == 0) continue;
      const LaneRef& from = operand == 0 ? a : c;
      const auto bits = static_cast<unsigned>(byte_bits * std::abs(distance));
      const LaneRef moved = distance >= 0 ? shifted_left(from, bits) : shifted_right(from, bits, false);
      result = bitwise_of(or_table, result, bitwise_of(and_table, moved, constant_lanes(mask), zero), zero);
    }
  }
  return result;
}

LaneRef chosen(const LaneRef& condition, const LaneRef& a, const LaneRef& b) {
  // Two numbers that are not known may differ although the same is known of them.
  if (a && a->known() && equal_lanes(a, b)) return a;
  if (!condition) return nullptr;
  if (condition->known() && condition->same_for_all()) return condition->offsets.front() != 0 ? a : b;
  if (!a || !b) return nullptr;
  if (condition->scattered) return scattered_number();
  if (!condition->known()) {
    if (!condition->same_in_warps()) return nullptr;
    LaneRef either = joined(a, b);
    if (!either || (!condition->by_warp && condition->axes == Axes::None)) return either;
    LaneValue made = *either;
    made.by_warp |= condition->by_warp, made.axes |= condition->axes;
    return ref(std::move(made));
  }
  if (!a->known() || !b->known()) return a->scattered || b->scattered ? scattered_number() : nullptr;
  LaneValue made = made_from({a.get(), b.get()});
  set_offsets(made, {condition.get(), a.get(), b.get()},
              [&](std::size_t t) { return condition->at(t) != 0 ? a->at(t) : b->at(t); });
  return ref(std::move(made));
}

LaneRef joined(const LaneRef& a, const LaneRef& b) {
  if (equal_lanes(a, b)) return a;
  if (!a || !b) return nullptr;
  LaneValue made = made_from({a.get(), b.get()});
  const std::uint32_t apart = a->offsets.front() - b->offsets.front();
  const std::size_t size = std::max(a->offsets.size(), b->offsets.size());
  for (std::size_t t = 0; t < size; ++t) {
    if (a->at(t) - b->at(t) != apart) return made.scattered ? scattered_number() : nullptr;
  }
  made.zeros = std::min({a->zeros, b->zeros, apart == 0 ? value_bits - 1 : std::countr_zero(apart)});
  if (apart == 0 && a->known() && b->known()) made.zeros = LaneValue::no_base;
  made.offsets = b->offsets;
  return ref(std::move(made));
}

bool equal_lanes(const LaneRef& a, const LaneRef& b) { return a == b || (a && b && *a == *b); }

}  // namespace warpclock
