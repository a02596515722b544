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

/// The lanes in which the table gives the same whatever the sources are that are not known there: x & 0 is 0.
LaneMask decided_by_known(std::uint32_t table, StepSources& in) {
  const std::array<const Words*, 3> all{&in.word(0), &in.word(1), &in.word(2)};
  Words may_be = same_words(0), may_not = same_words(0);
  for (unsigned row = 0; row < 8; ++row) {
    Words& to = (table >> row & 1U) != 0 ? may_be : may_not;
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      std::uint32_t possible = ~0U;
      for (unsigned k = 0; k < all.size(); ++k) {
        const bool set = (row >> (2 - k) & 1U) != 0;
        if (has_lane(in.known(k), i)) possible &= set ? (*all[k])[i] : ~(*all[k])[i];
      }
      to[i] |= possible;
    }
  }
  return lanes_where([&](std::size_t i) { return (may_be[i] & may_not[i]) == 0; });
}

/// LOP3.LUT p, d, a, b, c, table, q: p is whether any bit of the result is set, or q holds; with PAND, and q holds.
void by_table_of_words(const CodeStep& step, StepSources& in, StepOutputs& out) {
  out.word[0] = by_table(in.raw(3)[0], in.word(0), in.word(1), in.word(2));
  if (step.results.size() < 2) {
    if ((in.lanes() & ~out.known) != 0) out.known |= decided_by_known(in.raw(3)[0], in);
    return;
  }
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

/// PRMT with a mode: the lowest two bits of the selector say which byte, or half, the result begins with.
enum class Bytes : std::uint8_t { Forward, Backward, Replicate, EdgeLeft, EdgeRight, ReplicateHalf };
template <Bytes Mode>
void permute_as(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words &a = in.word(0), &selectors = in.word(1), &b = in.word(2);
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint64_t both = std::uint64_t{b[i]} << 32 | a[i];
    const unsigned by = selectors[i] & 3U;
    std::uint32_t made = 0;
    for (unsigned k = 0; k < 4; ++k) {
      unsigned from = 0;
      switch (Mode) {  // PTX ISA, "prmt"
        case Bytes::Forward:
          from = by + k;
          break;
        case Bytes::Backward:
          from = (by + 8 - k) % 8;
          break;
        case Bytes::Replicate:
          from = by;
          break;
        case Bytes::EdgeLeft:
          from = std::max(by, k);
          break;
        case Bytes::EdgeRight:
          from = std::min(by, k);
          break;
        case Bytes::ReplicateHalf:
          from = (by & 1U) * 2 + k % 2;
          break;
      }
      made |= (static_cast<std::uint32_t>(both >> 8 * from) & 0xffU) << 8 * k;
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
      {"PRMT", "F4E", "", 3, 0, permute_as<Bytes::Forward>},
      {"PRMT", "B4E", "", 3, 0, permute_as<Bytes::Backward>},
      {"PRMT", "RC8", "", 3, 0, permute_as<Bytes::Replicate>},
      {"PRMT", "ECL", "", 3, 0, permute_as<Bytes::EdgeLeft>},
      {"PRMT", "ECR", "", 3, 0, permute_as<Bytes::EdgeRight>},
      {"PRMT", "RC16", "", 3, 0, permute_as<Bytes::ReplicateHalf>},
      {"PRMT", "", "", 3, 0, permute},
  });
  return rows;
}

}  // namespace warpclock
