#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

/// Fragments of matrices as the PTX ISA draws them ("Matrix Fragments for mma"): of A and of the result, lane i has
/// elements of row i / 4; of B, of column i / 4. Where a matrix A has 16 rows, every other register is 8 rows below.
constexpr std::size_t group = 4, step_rows = 8;

bool of_whole_warp(const StepOutputs& out, const StepSources& in) {
  return in.lanes() == all_lanes && out.known == all_lanes;
}

bool is_zero(const WordSource& source) { return source.place % places::uniform == places::vector_zero; }

std::int32_t byte_of(std::uint32_t word, std::size_t at, bool is_signed) {
  const std::uint32_t bits = word >> 8 * at & 0xffU;
  return is_signed ? static_cast<std::int32_t>(static_cast<std::int8_t>(bits)) : static_cast<std::int32_t>(bits);
}

/// IMMA d, a, b, c: of bytes; the sum of 32 bits wraps, or with SAT ends at the largest.
template <std::size_t Rows, std::size_t Depth>
void multiply_bytes(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (!of_whole_warp(out, in)) return void(out.known = 0);
  constexpr std::size_t bytes = 4, of_step = group * bytes;
  const bool signed_a = step.types[0] == ValueType::S8;
  const bool signed_b = (step.types[1] == ValueType::None ? step.types[0] : step.types[1]) == ValueType::S8;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    for (std::size_t c = 0; c < Rows / step_rows * 2; ++c) {
      const std::size_t below = c / 2, column = i % group * 2 + c % 2;
      std::int64_t sum = is_zero(in.at(2)) ? 0 : static_cast<std::int32_t>(in.part(2, c)[i]);
      for (std::size_t k = 0; k < Depth; ++k) {
        const std::size_t lane = k % of_step / bytes, part = k / of_step;
        const Words& a = in.part(0, part * (Rows / step_rows) + below);
        const Words& b = in.part(1, part);
        sum += static_cast<std::int64_t>(byte_of(a[i / group * group + lane], k % bytes, signed_a)) *
               byte_of(b[column * group + lane], k % bytes, signed_b);
      }
      if (step.has(Modifier::Saturate))
        sum = std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                       std::numeric_limits<std::int32_t>::max());
      out.word[c][i] = static_cast<std::uint32_t>(sum);
    }
  }
}

std::uint64_t double_at(StepSources& in, std::size_t source, std::size_t pair, std::size_t lane) {
  if (is_zero(in.at(source))) return 0;
  return std::uint64_t{in.part(source, 2 * pair + 1)[lane]} << 32U | in.part(source, 2 * pair)[lane];
}

/// DMMA.8x8x4 d, a, b, c: fused multiply-adds, the first column of A first.
void multiply_doubles_8x8x4(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (!of_whole_warp(out, in)) return void(out.known = 0);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      std::uint64_t sum = double_at(in, 2, c, i);
      for (std::size_t k = 0; k < group; ++k)
        sum = multiply_add_bits(double_at(in, 0, 0, i / group * group + k),
                                double_at(in, 1, 0, (i % group * 2 + c) * group + k), sum, step.rounding);
      out.word[2 * c][i] = static_cast<std::uint32_t>(sum);
      out.word[2 * c + 1][i] = static_cast<std::uint32_t>(sum >> 32U);
    }
  }
}

}  // namespace

std::span<const SemanticsRow> matrix_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"IMMA", "8816", "S8 U8 SAT", 3, 0, multiply_bytes<8, 16>},
      {"IMMA", "16816", "S8 U8 SAT", 3, 0, multiply_bytes<16, 16>},
      {"IMMA", "16832", "S8 U8 SAT", 3, 0, multiply_bytes<16, 32>},
      {"DMMA", "8x8x4", "RM RP RZ", 3, 0, multiply_doubles_8x8x4},
  });
  return rows;
}

}  // namespace warpclock
