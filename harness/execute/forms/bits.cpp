#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

constexpr unsigned bits_of_word = 32;

/// SGXT d, a, bits: the low bits of a with their sign, or with zeros.
void extend(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &bits = in.raw(1);
  const bool wraps = step.has(Modifier::Wrap);
  out.word[0] = words_of_lanes([&](std::size_t i) -> std::uint32_t {
    const unsigned kept = wraps ? bits[i] % bits_of_word : std::min(bits[i], bits_of_word);
    if (kept == 0) return 0;
    const unsigned away = bits_of_word - kept;
    const std::uint32_t left = a[i] << away;
    return step.has(Modifier::Unsigned) ? left >> away
                                        : static_cast<std::uint32_t>(static_cast<std::int32_t>(left) >> away);
  });
}

/// BMSK d, first, bits: so many ones from that bit on.
void bit_mask(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &first = in.raw(0), &bits = in.raw(1);
  const bool wraps = step.has(Modifier::Wrap);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const unsigned at = wraps ? first[i] % bits_of_word : std::min(first[i], bits_of_word);
    const unsigned many = wraps ? bits[i] % bits_of_word : std::min(bits[i], bits_of_word);
    return static_cast<std::uint32_t>(((std::uint64_t{1} << many) - 1) << at);
  });
}

void reverse_bits(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    std::uint32_t made = 0;
    for (unsigned bit = 0; bit < bits_of_word; ++bit) made |= (a[i] >> bit & 1U) << (bits_of_word - 1 - bit);
    return made;
  });
}

/// FLO: the number of the leading one, of the leading bit unlike the sign if it is signed; -1 if there is none. With
/// SH, how far it must be shifted to be the first bit.
void leading_one(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint32_t seen = !step.has(Modifier::Unsigned) && static_cast<std::int32_t>(a[i]) < 0 ? ~a[i] : a[i];
    if (seen == 0) return ~0U;
    const auto zeros = static_cast<std::uint32_t>(std::countl_zero(seen));
    return step.has(Modifier::Shift) ? zeros : bits_of_word - 1 - zeros;
  });
}

void count_ones(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  out.word[0] = words_of_lanes([&](std::size_t i) { return static_cast<std::uint32_t>(std::popcount(a[i])); });
}

}  // namespace

std::span<const SemanticsRow> bit_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"SGXT", "", "U32 W", 2, 0, extend},
      {"BMSK", "", "C W", 2, 0, bit_mask},
      {"BREV", "", "", 1, 0, reverse_bits},
      {"FLO", "", "U32 SH", 1, 0, leading_one},
      {"POPC", "", "", 1, 0, count_ones},
  });
  return rows;
}

}  // namespace warpclock
