#include "execute/forms/atomics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "execute/forms/number_format.hpp"

namespace warpclock {
namespace {

std::uint64_t whole_number(const CodeStep& step, std::uint64_t old, std::uint64_t operand, unsigned bits,
                           bool is_signed) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  // With the sign bit inverted, signed numbers have the order of unsigned ones.
  const std::uint64_t turned = is_signed ? std::uint64_t{1} << (bits - 1) : 0;
  const bool less = (operand ^ turned) < (old ^ turned);
  switch (step.atomic) {
    case AtomicOperation::Add:
      return (old + operand) & mask;
    case AtomicOperation::Count:
      return (old + 1) & mask;
    case AtomicOperation::Least:
      return less ? operand : old;
    case AtomicOperation::Most:
      return less ? old : operand;
    case AtomicOperation::And:
      return old & operand;
    case AtomicOperation::Or:
      return old | operand;
    case AtomicOperation::Xor:
      return old ^ operand;
    case AtomicOperation::Increment:
      return old >= operand ? 0 : old + 1;
    case AtomicOperation::Decrement:
      return old == 0 || old > operand ? operand : old - 1;
    default:
      break;
  }
  return operand;
}

std::uint64_t real_number(const CodeStep& step, std::uint64_t old, std::uint64_t operand, const NumberFormat& format) {
  if (format.mantissa_bits == formats::twice.mantissa_bits) {
    // A NaN stays as it is, a signalling one too (seen on an H100).
    const double added = std::bit_cast<double>(operand), held = std::bit_cast<double>(old);
    if (std::isnan(added)) return operand;
    if (std::isnan(held)) return old;
    return rounded_bits(format, added + held, Rounding::Nearest);
  }
  const bool flush = step.has(Modifier::Flush);
  const auto read = [&](std::uint64_t bits) {
    const bool denormal = (bits & (format.sign() - 1)) >> format.mantissa_bits == 0;
    return number_of(format, flush && denormal ? bits & format.sign() : bits);
  };
  const double a = read(old), b = read(operand);
  double made = odd_sum(a, b);
  if (step.atomic != AtomicOperation::Add) {
    if (std::isnan(a) || std::isnan(b)) {
      made = std::isnan(a) ? b : a;
    } else {
      const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
      made = less == (step.atomic == AtomicOperation::Least) ? a : b;
    }
  }
  const std::uint64_t bits = rounded_bits(format, made, Rounding::Nearest);
  const bool denormal = (bits & (format.sign() - 1)) >> format.mantissa_bits == 0;
  return flush && denormal ? bits & format.sign() : bits;
}

std::uint64_t element(const CodeStep& step, std::uint64_t old, std::uint64_t operand) {
  switch (step.element) {
    case ValueType::F16:
      return real_number(step, old, operand, formats::half);
    case ValueType::Bf16:
      return real_number(step, old, operand, formats::bfloat);
    case ValueType::F32:
      return real_number(step, old, operand, formats::single);
    case ValueType::F64:
      return real_number(step, old, operand, formats::twice);
    case ValueType::U64:
    case ValueType::S64:
      return whole_number(step, old, operand, 64, step.element == ValueType::S64);
    default:
      return whole_number(step, old, operand, 32, step.element == ValueType::S32);
  }
}

unsigned bits_of(ValueType type) {
  if (type == ValueType::F16 || type == ValueType::Bf16) return 16;
  return type == ValueType::F64 || type == ValueType::U64 || type == ValueType::S64 ? 64 : 32;
}

}  // namespace

AtomicWords atomic_result(const CodeStep& step, const AtomicWords& old, const AtomicWords& operand,
                          const AtomicWords& other) {
  const std::size_t words = std::max<std::size_t>(1, step.bytes / register_bytes);
  if (step.atomic == AtomicOperation::Exchange) return operand;
  if (step.atomic == AtomicOperation::CompareAndSwap)
    return std::equal(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(words), operand.begin()) ? other : old;
  AtomicWords made{};
  const unsigned bits = bits_of(step.element);
  if (bits == 64) {
    for (std::size_t k = 0; k + 1 < words; k += 2) {
      const auto both = [&](const AtomicWords& of) { return std::uint64_t{of[k + 1]} << 32U | of[k]; };
      const std::uint64_t all = element(step, both(old), both(operand));
      made[k] = static_cast<std::uint32_t>(all), made[k + 1] = static_cast<std::uint32_t>(all >> 32U);
    }
    return made;
  }
  const std::uint32_t mask = bits == 32 ? ~0U : (1U << bits) - 1;
  for (std::size_t k = 0; k < words; ++k) {
    for (unsigned at = 0; at < 32; at += bits)
      made[k] |= static_cast<std::uint32_t>(element(step, old[k] >> at & mask, operand[k] >> at & mask)) << at;
  }
  return made;
}

}  // namespace warpclock
