#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "execute/forms/number_format.hpp"
#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr unsigned half_word = 16, byte_bits = 8;

bool is_float(ValueType type) { return type >= ValueType::F16; }

NumberFormat format_of(ValueType type) {
  switch (type) {
    case ValueType::F16:
      return formats::half;
    case ValueType::Bf16:
      return formats::bfloat;
    case ValueType::F64:
      return formats::twice;
    case ValueType::E4m3:
      return formats::e4m3;
    case ValueType::E5m2:
      return formats::e5m2;
    case ValueType::Tf32:
      return formats::tf32;
    default:
      return formats::single;
  }
}

/// The type of a result and that of the source; `one` is left out.
struct Types {
  ValueType to = ValueType::None, from = ValueType::None;
};

Types to_integer(const CodeStep& step) {
  Types types{ValueType::S32, ValueType::F32};
  for (const ValueType type : step.types)
    if (type != ValueType::None) (is_float(type) ? types.from : types.to) = type;
  return types;
}
Types from_integer(const CodeStep& step) {
  const Types other = to_integer(step);
  return {other.from, other.to};
}

/// Bits of a lane's source of a type.
std::uint64_t bits_at(StepSources& in, std::size_t source, std::size_t lane, int bits) {
  std::uint64_t all = in.raw(source)[lane];
  if (bits > 32) return all | std::uint64_t{in.high(source)[lane]} << 32;
  all >>= byte_bits * in.at(source).part;
  return bits == 32 ? all : all & ((std::uint64_t{1} << bits) - 1);
}

double float_at(StepSources& in, std::size_t source, std::size_t lane, ValueType type, bool flush) {
  const NumberFormat format = format_of(type);
  double number = number_of(format, bits_at(in, source, lane, format.bits()));
  if (flush && type == ValueType::F32 && std::abs(number) < 0x1p-126) number = std::copysign(0.0, number);
  if (in.at(source).absolute) number = std::abs(number);
  return in.at(source).negative ? -number : number;
}

void put(StepOutputs& out, std::size_t lane, std::uint64_t bits) {
  out.word[0][lane] = static_cast<std::uint32_t>(bits), out.word[1][lane] = static_cast<std::uint32_t>(bits >> 32);
}

struct IntegerType {
  int bits = 32;
  bool is_signed = true;
};
IntegerType integer_type(ValueType type) {
  const auto index = static_cast<int>(type) - static_cast<int>(ValueType::U8);
  return {8 << (index / 2), index % 2 == 1};
}

double whole(double number, Rounding rounding) {
  switch (rounding) {
    case Rounding::Zero:
      return std::trunc(number);
    case Rounding::Down:
      return std::floor(number);
    case Rounding::Up:
      return std::ceil(number);
    case Rounding::Nearest:
      break;
  }
  return std::nearbyint(number);
}

/// Beyond the range of the integers the nearest of them.
std::uint64_t integer_of(double number, const IntegerType& type) {
  const double limit = std::ldexp(1.0, type.is_signed ? type.bits - 1 : type.bits);
  const std::uint64_t mask = type.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.bits) - 1;
  const std::uint64_t most = type.is_signed ? mask >> 1U : mask, least = type.is_signed ? most + 1 : 0;
  if (number >= limit) return most;
  if (number <= (type.is_signed ? -limit : 0)) return least & mask;
  return number < 0 ? (0 - static_cast<std::uint64_t>(-number)) & mask : static_cast<std::uint64_t>(number);
}

/// F2I: NTZ does not take a denormal for zero, which shows up and down; FTZ does. Fewer bits than 32 are extended by
/// zeros or the sign.
void integer_of_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Types types = to_integer(step);
  const IntegerType type = integer_type(types.to);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const double number = float_at(in, 0, i, types.from, step.has(Modifier::Flush));
    if (std::isnan(number)) {
      // Where 64 bits are converted, the upper bit alone.
      const bool wide = type.bits == 64 || types.from == ValueType::F64;
      put(out, i, wide ? std::uint64_t{1} << (type.bits - 1) : 0);
      continue;
    }
    std::uint64_t made = integer_of(whole(number, step.rounding), type);
    if (type.is_signed && type.bits < 32 && (made >> (type.bits - 1) & 1U) != 0) made |= ~std::uint64_t{0} << type.bits;
    put(out, i, made);
  }
}

/// I2F and I2FP.
void float_of_integer(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Types types = from_integer(step);
  const IntegerType type = integer_type(types.from);
  const NumberFormat format = format_of(types.to);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint64_t bits = bits_at(in, 0, i, type.bits);
    if (type.bits == 32 && in.at(0).changed()) bits = in.word(0)[i];
    const bool negative = type.is_signed && (bits >> (type.bits - 1) & 1U) != 0;
    if (negative) bits = (0 - bits) & (type.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.bits) - 1);
    put(out, i, bits == 0 ? 0 : rounded_bits(format, negative, bits, 0, step.rounding));
  }
}

/// F2F.
void float_of_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const ValueType to = step.types[0], from = step.types[1];
  const NumberFormat format = format_of(to);
  const bool flush = step.has(Modifier::Flush);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const double number = float_at(in, 0, i, from, flush);
    std::uint64_t bits = rounded_bits(format, number, step.rounding);
    if (std::isnan(number) && (to == ValueType::F64 || from == ValueType::F64))
      bits = converted_nan(format, format_of(from), bits_at(in, 0, i, format_of(from).bits()));
    if (flush && to == ValueType::F32 && (bits & (format.sign() - 1)) < 0x800000U) bits &= format.sign();
    put(out, i, bits);
  }
}

/// FRND: a whole number in the same format.
void whole_float(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const ValueType type = step.types[0] == ValueType::None ? ValueType::F32 : step.types[0];
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const double number = float_at(in, 0, i, type, step.has(Modifier::Flush));
    const NumberFormat format = format_of(type);
    put(out, i,
        std::isnan(number) && type == ValueType::F64
            ? converted_nan(format, format, bits_at(in, 0, i, format.bits()))
            : rounded_bits(format, whole(number, step.rounding), Rounding::Nearest));
  }
}

/// One number of F2FP: RELU makes negative ones 0, SATFINITE takes the largest for infinity.
std::uint64_t packed(const CodeStep& step, const NumberFormat& format, double number) {
  if (step.has(Modifier::Relu) && std::signbit(number) && !std::isnan(number)) number = 0;
  const std::uint64_t bits = rounded_bits(format, number, step.rounding), size = bits & (format.sign() - 1);
  if (!step.has(Modifier::SaturateFinite) || std::isnan(number) || size < format.top()) return bits;
  return (bits & format.sign()) | (format.top() - 1);
}

/// F2FP.F16.F32.PACK_AB d, high, low.
void pack(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const NumberFormat format = format_of(step.types[0]);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto bits = [&](std::size_t source) {
      return static_cast<std::uint32_t>(packed(step, format, float_at(in, source, i, ValueType::F32, false)));
    };
    out.word[0][i] = bits(0) << half_word | bits(1);
  }
}

/// A last source is followed where it is RZ: nobody knows where its bits go.
void only_zero(const WordSource& source, StepOutputs& out) {
  if (source.place != places::vector_zero || source.kind != WordSource::Kind::Register) out.known = 0;
}

/// F2FP.F16.F32.MERGE_C d, a, RZ.
void pack_and_merge(const CodeStep& step, StepSources& in, StepOutputs& out) {
  only_zero(in.at(1), out);
  const NumberFormat format = format_of(step.types[0]);
  for (std::size_t i = 0; i < warp_lanes; ++i)
    out.word[0][i] = static_cast<std::uint32_t>(packed(step, format, float_at(in, 0, i, ValueType::F32, false)));
}

/// F2FP.TF32.F32.PACK_B d, a: with zeros in the lower bits.
void pack_tf32(const CodeStep& step, StepSources& in, StepOutputs& out) {
  constexpr unsigned zeros = 13;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const double number = float_at(in, 0, i, ValueType::F32, false);
    out.word[0][i] = static_cast<std::uint32_t>(packed(step, formats::tf32, number) << zeros);
  }
}

/// F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C d, high, low, RZ: two bytes.
template <bool OfHalves>
void pack_bytes(const CodeStep& step, StepSources& in, StepOutputs& out) {
  only_zero(in.at(in.count() - 1), out);
  const NumberFormat format = format_of(step.types[0]);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::array<double, 2> numbers{};
    for (std::size_t k = 0; k < 2; ++k)
      numbers[k] = OfHalves ? number_of(formats::half, in.raw(0)[i] >> half_word * k & 0xffffU)
                            : float_at(in, 1 - k, i, ValueType::F32, false);
    out.word[0][i] =
        static_cast<std::uint32_t>(packed(step, format, numbers[0]) | packed(step, format, numbers[1]) << byte_bits);
  }
}

/// F2FP.F16.E4M3.UNPACK_B d, a: two halves of two bytes.
void unpack_bytes(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const NumberFormat format = format_of(step.types[1]);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const auto both = static_cast<std::uint32_t>(bits_at(in, 0, i, half_word));
    std::uint32_t made = 0;
    for (unsigned k = 0; k < 2; ++k) {
      const double number = number_of(format, both >> byte_bits * k & 0xffU);
      made |= static_cast<std::uint32_t>(packed(step, formats::half, number)) << half_word * k;
    }
    out.word[0][i] = made;
  }
}

}  // namespace

std::span<const SemanticsRow> conversion_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"I2F", "", "F16 BF16 F64 U8 S8 U16 S16 U32 S32 U64 S64 RM RP RZ", 1, 0, float_of_integer},
      {"I2FP", "F32", "S32 U32 RM RP RZ", 1, 0, float_of_integer},
      {"F2I", "", "F16 BF16 F32 F64 U8 S8 U16 S16 U32 S32 U64 S64 TRUNC FLOOR CEIL FTZ NTZ", 1, 0, integer_of_float},
      {"F2F", "", "F16 BF16 F32 F64 FTZ RM RP RZ", 1, 0, float_of_float},
      {"FRND", "", "F16 BF16 F32 F64 FTZ TRUNC FLOOR CEIL", 1, 0, whole_float},
      {"F2FP", "F32 PACK_AB", "F16 BF16 RELU SATFINITE RZ", 2, 0, pack},
      {"F2FP", "F32 MERGE_C", "F16 BF16 RELU SATFINITE RZ", 2, 0, pack_and_merge},
      {"F2FP", "TF32 F32 PACK_B", "RELU RZ", 1, 0, pack_tf32},
      {"F2FP", "F32 PACK_AB_MERGE_C", "E4M3 E5M2 RELU SATFINITE", 3, 0, pack_bytes<false>},
      {"F2FP", "F16 UNPACK_B_MERGE_C", "E4M3 E5M2 RELU SATFINITE", 2, 0, pack_bytes<true>},
      {"F2FP", "F16 UNPACK_B", "E4M3 E5M2 RELU", 1, 0, unpack_bytes},
  });
  return rows;
}

}  // namespace warpclock
