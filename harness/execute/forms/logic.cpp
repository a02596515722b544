#include <algorithm>
#include <array>
#include <cstdint>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

/// LOP3: bit i of the result is bit (a_i, b_i, c_i) of the table. The usual tables are written out.
Words by_table(std::uint32_t table, const Words& a, const Words& b, const Words& c) {
  constexpr std::uint32_t only_a = 0xf0, only_b = 0xcc, only_c = 0xaa;
  switch (table) {
    case only_a& only_b:
      return words_of_lanes([&](std::size_t i) { return a[i] & b[i]; });
    case only_a | only_b:
      return words_of_lanes([&](std::size_t i) { return a[i] | b[i]; });
    case only_a ^ only_b:
      return words_of_lanes([&](std::size_t i) { return a[i] ^ b[i]; });
    case (only_a & only_b) | only_c:
      return words_of_lanes([&](std::size_t i) { return (a[i] & b[i]) | c[i]; });
    default:
      break;
  }
  Words made = same_words(0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((table >> row & 1U) == 0) continue;
    const std::uint32_t not_a = row & 4U ? 0 : ~0U, not_b = row & 2U ? 0 : ~0U, not_c = row & 1U ? 0 : ~0U;
    for (std::size_t i = 0; i < warp_lanes; ++i) made[i] |= (a[i] ^ not_a) & (b[i] ^ not_b) & (c[i] ^ not_c);
  }
  return made;
}

/// LOP3.LUT p, d, a, b, c, table, q: p is whether any bit of the result is set, or q holds; with PAND, and q holds.
void by_table_of_words(const CodeStep& step, StepSources& in, StepOutputs& out) {
  out.word[0] = by_table(in.raw(3)[0], in.word(0), in.word(1), in.word(2));
  if (step.results.size() < 2) return;
  const LaneMask any = lanes_where([&](std::size_t i) { return out.word[0][i] != 0; });
  out.predicate[0] = step.has(Modifier::And) ? any & in.predicate(0) : any | in.predicate(0);
}

/// The lanes in which a table of three predicates gives the same whatever the unknown ones are, and what it gives.
struct Decided {
  LaneMask value = 0, known = 0;
};
Decided by_table_of_known(std::uint32_t table, const std::array<LaneMask, 3>& value,
                          const std::array<LaneMask, 3>& known) {
  LaneMask may_hold = 0, may_fail = 0;
  for (unsigned row = 0; row < 8; ++row) {
    LaneMask possible = all_lanes;
    for (unsigned k = 0; k < 3; ++k) {
      const LaneMask wanted = (row >> (2 - k) & 1U) != 0 ? value[k] : ~value[k];
      possible &= wanted | ~known[k];
    }
    ((table >> row & 1U) != 0 ? may_hold : may_fail) |= possible;
  }
  return {may_hold & ~may_fail, may_hold ^ may_fail};
}

/// PLOP3.LUT d, e, p, q, r, table of d, table of e.
void by_table_of_predicates(const CodeStep& step, StepSources& in, StepOutputs& out) {
  std::array<LaneMask, 3> value, known;
  for (std::size_t k = 0; k < value.size(); ++k) value[k] = in.predicate(k), known[k] = in.known_predicate(k);
  out.known = all_lanes;
  for (std::size_t k = 0; k < std::min<std::size_t>(2, in.count()); ++k) {
    const Decided made = by_table_of_known(in.raw(k)[0], value, known);
    out.predicate[k] = made.value;
    if (k < step.results.size() && !step.results[k].sink) out.known &= made.known;
  }
}

/// PRMT d, a, selector, b: each byte is one of the eight of b:a; the highest bit of its digit takes the byte's sign.
void permute(const CodeStep&, StepSources& in, StepOutputs& out) {
  constexpr unsigned bytes = 4, digit_bits = 4, byte_bits = 8;
  const Words &a = in.word(0), &selectors = in.raw(1), &b = in.word(2);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint64_t both = std::uint64_t{b[i]} << 32 | a[i];
    std::uint32_t made = 0;
    for (unsigned k = 0; k < bytes; ++k) {
      const std::uint32_t digit = selectors[i] >> digit_bits * k & 0xfU;
      const auto byte = static_cast<std::uint32_t>(both >> byte_bits * (digit & 7U)) & 0xffU;
      made |= (digit < 8 ? byte : byte >= 0x80U ? 0xffU : 0U) << byte_bits * k;
    }
    return made;
  });
}

}  // namespace

void combine(const CodeStep& step, LaneMask holds, const StepSources& in, StepOutputs& out) {
  const LaneMask also = in.predicate(0), known = in.known_predicate(0);
  if (step.has(Modifier::Or)) {
    out.predicate = {holds | also, ~holds | also};
    out.known |= known & also;
  } else if (step.has(Modifier::Xor)) {
    out.predicate = {holds ^ also, ~holds ^ also};
  } else {
    out.predicate = {holds & also, ~holds & also};
    out.known |= known & ~also;
  }
}

std::span<const SemanticsRow> logic_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"LOP3", "LUT", "PAND", 4, 1, by_table_of_words},
      {"PLOP3", "LUT", "", 1, 3, by_table_of_predicates},
      {"PRMT", "", "", 3, 0, permute},
  });
  return rows;
}

}  // namespace warpclock
