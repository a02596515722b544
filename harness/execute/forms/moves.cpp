#include <algorithm>
#include <array>
#include <cstdint>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

/// MOV, R2UR, LDC, S2R, CS2R: a word or two.
void move(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (in.at(0).kind == WordSource::Kind::Special) {
    out.word[0] = in.special(static_cast<SpecialRegister>(in.at(0).number));
    out.word[1] = same_words(0);
    return;
  }
  out.word[0] = in.word(0);
  for (const StepResult& result : step.results) {
    if (result.words > 1) out.word[1] = in.high(0);
    if (result.words > 2) out.known = 0;
  }
}

/// R2UR p, d, a: d is a of the first lane that executes, and p holds where a is another.
void move_to_uniform(const CodeStep&, StepSources& in, StepOutputs& out) {
  const Words& a = in.word(0);
  const std::size_t first = first_lane(in.lanes());
  out.word[0] = a;
  out.predicate[0] = lanes_where([&](std::size_t i) { return a[i] != a[first]; });
  if (!has_lane(out.known, first)) out.known = 0;
}

/// LDC d, c[0x0][a+offset]: one or two words, or less than one. What crosses the end of a word is not followed.
void load_constant(const CodeStep& step, StepSources& in, StepOutputs& out) {
  if (step.table_words == 0) return move(step, in, out);
  const std::uint32_t words = step.results.empty() ? 1 : step.results[0].words;
  const Words& address = in.raw(0);
  const auto in_word = [&](std::size_t i) { return (address[i] + step.table_offset) % register_bytes; };
  const LaneMask whole = lanes_where([&](std::size_t i) { return in_word(i) + step.bytes <= register_bytes; });
  out.known &= words > 2 ? 0 : whole;
  for (std::uint32_t k = 0; k < std::min<std::uint32_t>(words, 2); ++k)
    out.word[k] = in.constant(0, register_bytes * k, out.known);
  if (step.bytes == register_bytes) return;
  const unsigned bits = 8 * step.bytes;
  const std::uint32_t mask = (1U << bits) - 1, sign = step.has(Modifier::Signed) ? 1U << (bits - 1) : 0;
  out.word[0] = words_of_lanes([&](std::size_t i) {
    const std::uint32_t value = out.word[0][i] >> 8 * in_word(i) & mask;
    return (value ^ sign) - sign;
  });
}

/// R2P PR, a, mask: the predicates of the mask get the bits of a, or of one of its bytes.
void word_to_predicates(const CodeStep& step, StepSources& in, StepOutputs& out) {
  constexpr unsigned byte = 8;
  const Words& a = in.word(0);
  for (std::size_t k = 0; k < step.results.size(); ++k) {
    const unsigned bit = step.results[k].place % places::uniform_predicate + byte * step.byte;
    out.predicate[k] = lanes_where([&](std::size_t i) { return (a[i] >> bit & 1U) != 0; });
  }
}

/// SEL d, a, b, p. What is not chosen need not be known.
void choose(const Words& a, const Words& b, const StepSources& in, StepOutputs& out) {
  const LaneMask first = in.predicate(0);
  out.word[0] = words_of_lanes([&](std::size_t i) { return has_lane(first, i) ? a[i] : b[i]; });
  out.known |= in.known_predicate(0) & ((first & in.known(0)) | (~first & in.known(1)));
}

void select(const CodeStep&, StepSources& in, StepOutputs& out) { choose(in.word(0), in.word(1), in, out); }
void select_float(const CodeStep&, StepSources& in, StepOutputs& out) { choose(in.real(0), in.real(1), in, out); }

/// P2R d, PR, a, mask: a with the predicates P0 to P6 in the bits of the mask; with B1 to B3, in that byte.
void predicates_to_word(const CodeStep& step, StepSources& in, StepOutputs& out) {
  constexpr unsigned byte = 8;
  const Words &a = in.word(0), &mask = in.raw(1);
  out.word[0] = a;
  LaneMask known = in.known(0) & in.known(1);  // what the mask leaves out need not be
  for (std::size_t k = 0; k < step.predicates.size(); ++k) {
    const LaneMask holds = in.predicate(k);
    known &= in.known_predicate(k) | lanes_where([&](std::size_t i) { return (mask[i] >> k & 1U) == 0; });
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      const std::uint32_t bit = (1U << k & mask[i]) << byte * step.byte;
      out.word[0][i] = has_lane(holds, i) ? out.word[0][i] | bit : out.word[0][i] & ~bit;
    }
  }
  out.known |= known;
}

}  // namespace

std::span<const SemanticsRow> move_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"MOV", "", "64", 1, 0, move},
      {"MOV32I", "", "", 1, 0, move},
      {"R2UR", "", "", 1, 0, move_to_uniform},
      {"LDC", "", "64 U8 S8 U16 S16", 1, 0, load_constant},
      {"LDCU", "", "64 U8 S8 U16 S16", 1, 0, load_constant},
      {"S2R", "", "", 1, 0, move},
      {"CS2R", "", "32", 1, 0, move},
      {"SEL", "", "", 2, 1, select},
      {"FSEL", "", "FTZ", 2, 1, select_float},
      {"P2R", "", "B1 B2 B3", 2, 1, predicates_to_word},
      {"UP2UR", "", "", 2, 1, predicates_to_word},
      {"R2P", "", "", 1, 0, word_to_predicates},
  });
  return rows;
}

}  // namespace warpclock
