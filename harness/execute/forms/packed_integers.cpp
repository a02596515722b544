#include <algorithm>
#include <array>
#include <cstdint>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr unsigned part_bits = 16, eight = 8;

std::int64_t with_sign(std::uint32_t bits, unsigned width, bool is_signed) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1, value = bits & mask;
  if (!is_signed || (value >> (width - 1) & 1U) == 0) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value) - static_cast<std::int64_t>(mask) - 1;
}

/// The least or the largest of the sources, of 32 bits or of each half; RELU makes a negative one 0.
template <std::size_t Count>
void extreme_of_parts(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const LaneMask least = in.predicate(0);
  const unsigned width = step.has(Modifier::Halves) ? part_bits : 2 * part_bits;
  const bool is_signed = !step.has(Modifier::Unsigned);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint32_t made = 0;
    for (unsigned from = 0; from < 2 * part_bits; from += width) {
      const auto part = [&](std::size_t k) { return with_sign(in.word(k)[i] >> from, width, is_signed); };
      std::int64_t best = part(0);
      for (std::size_t k = 1; k < Count; ++k)
        best = has_lane(least, i) ? std::min(best, part(k)) : std::max(best, part(k));
      if (step.has(Modifier::Relu)) best = std::max<std::int64_t>(best, 0);
      made |= static_cast<std::uint32_t>(static_cast<std::uint64_t>(best) & ((std::uint64_t{1} << width) - 1)) << from;
    }
    out.word[0][i] = made;
  }
}

/// VIADD.16x2.
void add_parts(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1);
  constexpr std::uint32_t low = 0xffff;
  out.word[0] =
      words_of_lanes([&](std::size_t i) { return ((a[i] + b[i]) & low) | (((a[i] & ~low) + (b[i] & ~low)) & ~low); });
}

/// IDP.4A d, a, b, c: the sum of the products of their bytes and c. IDP.2A: of the halves of a and of the lower or the
/// upper two bytes of b.
template <unsigned Parts>
void dot_product(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  const bool signed_a = step.types[0] == ValueType::S8 || step.types[0] == ValueType::S16;
  const ValueType of_b = step.types[1] == ValueType::None ? step.types[0] : step.types[1];
  const bool signed_b = of_b == ValueType::S8;
  const unsigned first = Parts == 2 && step.has(Modifier::High) ? 2 : 0, width = Parts == 2 ? part_bits : eight;
  out.word[0] = words_of_lanes([&](std::size_t i) {
    std::uint32_t sum = c[i];
    for (unsigned k = 0; k < Parts; ++k)
      sum += static_cast<std::uint32_t>(with_sign(a[i] >> width * k, width, signed_a) *
                                        with_sign(b[i] >> eight * (first + k), eight, signed_b));
    return sum;
  });
}

/// VABSDIFF d, a, b, c: |a - b| + c.
void difference(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  const bool is_signed = !step.has(Modifier::Unsigned);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::int64_t away = with_sign(a[i], 32, is_signed) - with_sign(b[i], 32, is_signed);
    return static_cast<std::uint32_t>(away < 0 ? -away : away) + c[i];
  });
}

/// VABSDIFF4.U8.ACC d, a, b, c: the sum of the differences of bytes and c.
void difference_of_bytes(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    std::uint32_t sum = c[i];
    for (unsigned at = 0; at < 32; at += eight) {
      const auto away = with_sign(a[i] >> at, eight, false) - with_sign(b[i] >> at, eight, false);
      sum += static_cast<std::uint32_t>(away < 0 ? -away : away);
    }
    return sum;
  });
}

/// The nearest number of so many bits.
std::uint32_t clamped(std::uint32_t word, unsigned width, bool is_signed) {
  const std::int64_t most = (std::int64_t{1} << (is_signed ? width - 1 : width)) - 1, least = is_signed ? -most - 1 : 0;
  return static_cast<std::uint32_t>(std::clamp(with_sign(word, 32, true), least, most));
}

bool is_signed_type(ValueType type) {
  return type == ValueType::S8 || type == ValueType::S16 || type == ValueType::S32;
}

/// I2I.U8.S32.SAT d, a.
void narrow(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  const bool bytes = step.types[0] == ValueType::U8 || step.types[0] == ValueType::S8;
  out.word[0] = words_of_lanes(
      [&](std::size_t i) { return clamped(a[i], bytes ? eight : part_bits, is_signed_type(step.types[0])); });
}

/// I2IP.U8.S32.SAT d, a, b, c: a above b, and c above both as far as there is room.
void narrow_and_pack(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &b = in.word(1), &c = in.word(2);
  const bool bytes = step.types[0] == ValueType::U8 || step.types[0] == ValueType::S8;
  const unsigned width = bytes ? eight : part_bits;
  const std::uint32_t mask = (1U << width) - 1;
  const bool is_signed = is_signed_type(step.types[0]);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint32_t both =
        (clamped(a[i], width, is_signed) & mask) << width | (clamped(b[i], width, is_signed) & mask);
    return bytes ? c[i] << part_bits | both : both;
  });
}

}  // namespace

std::span<const SemanticsRow> packed_integer_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"VIMNMX", "", "U32 RELU S16x2 U16x2", 2, 1, extreme_of_parts<2>},
      {"VIMNMX3", "", "U32 RELU S16x2 U16x2", 3, 1, extreme_of_parts<3>},
      {"VIADD", "16x2", "", 2, 0, add_parts},
      {"IDP", "4A", "U8 S8", 3, 0, dot_product<4>},
      {"IDP", "2A", "LO HI U16 S16 U8 S8", 3, 0, dot_product<2>},
      {"VABSDIFF4", "U8 ACC", "", 3, 0, difference_of_bytes},
      {"VABSDIFF", "", "U32", 3, 0, difference},
      {"I2I", "S32 SAT", "U8 S8 U16 S16", 1, 0, narrow},
      {"I2IP", "S32 SAT", "U8 S8 U16 S16", 3, 0, narrow_and_pack},
  });
  return rows;
}

}  // namespace warpclock
