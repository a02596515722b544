#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "execute/forms/semantics.hpp"

namespace warpclock {
namespace {

enum class ShuffleMode : std::uint8_t { Index, Up, Down, Butterfly };

/// SHFL p, d, a, lane, limits: PTX ISA, "shfl.sync". The low five bits of the limits are the clamp, those from bit 8
/// the mask of a segment. p is whether the source is in range.
template <ShuffleMode Mode>
void shuffle(const CodeStep&, StepSources& in, StepOutputs& out) {
  constexpr std::uint32_t lane_bits = 0x1f;
  const Words &a = in.raw(0), &lanes = in.raw(1), &limits = in.raw(2);
  const LaneMask known_source = in.known(0), decided = in.known(1) & in.known(2);
  LaneMask in_range = 0, known = 0;
  for (std::uint32_t i = 0; i < warp_lanes; ++i) {
    const std::uint32_t by = lanes[i] & lane_bits, clamp = limits[i] & lane_bits, mask = limits[i] >> 8 & lane_bits;
    const std::uint32_t most = (i & mask) | (clamp & ~mask), least = i & mask;
    std::uint32_t from = 0;
    bool is = false;
    switch (Mode) {
      case ShuffleMode::Index:
        from = least | (by & ~mask), is = from <= most;
        break;
      case ShuffleMode::Up:
        from = i - by, is = static_cast<std::int32_t>(from) >= static_cast<std::int32_t>(most);
        break;
      case ShuffleMode::Down:
        from = i + by, is = from <= most;
        break;
      case ShuffleMode::Butterfly:
        from = i ^ by, is = from <= most;
        break;
    }
    from = is ? from % warp_lanes : i;
    out.word[0][i] = a[from];
    in_range |= LaneMask{is} << i;
    known |= LaneMask{has_lane(known_source, from)} << i;
  }
  out.predicate[0] = in_range;
  out.known = decided & known;
}

/// What all lanes that execute have in common is known only if it is in each of them.
bool all_known(const StepOutputs& out, const StepSources& in) { return (in.lanes() & ~out.known) == 0; }

/// VOTE.ANY d, p, q: the lanes in which q holds, and whether it holds in any, in all, or is the same in all.
template <class Holds>
void vote(const CodeStep& step, StepSources& in, StepOutputs& out, Holds holds) {
  const LaneMask lanes = in.lanes(), ballot = in.predicate(0) & lanes;
  out.known = (lanes & ~in.known_predicate(0)) == 0 ? all_lanes : 0;
  out.word[0] = same_words(ballot);
  const LaneMask made = holds(ballot, lanes) ? all_lanes : 0;
  out.predicate = {made, made};
  static_cast<void>(step);
}
void vote_any(const CodeStep& step, StepSources& in, StepOutputs& out) {
  vote(step, in, out, [](LaneMask ballot, LaneMask) { return ballot != 0; });
}
void vote_all(const CodeStep& step, StepSources& in, StepOutputs& out) {
  vote(step, in, out, [](LaneMask ballot, LaneMask lanes) { return ballot == lanes; });
}
void vote_equal(const CodeStep& step, StepSources& in, StepOutputs& out) {
  vote(step, in, out, [](LaneMask ballot, LaneMask lanes) { return ballot == lanes || ballot == 0; });
}

/// MATCH.ANY d, a: the lanes with the same value. MATCH.ALL p, d, a: those that execute, if all have it, else none.
template <bool All>
void match(const CodeStep& step, StepSources& in, StepOutputs& out) {
  const Words &a = in.raw(0), &upper = step.has(Modifier::Bits64) ? in.high(0) : a;
  const LaneMask lanes = in.lanes();
  if (!all_known(out, in)) return void(out.known = 0);
  out.known = all_lanes;
  for (std::size_t i = 0; i < warp_lanes; ++i)
    out.word[0][i] = lanes & lanes_where([&](std::size_t k) { return a[k] == a[i] && upper[k] == upper[i]; });
  if (!All) return;
  const bool same = out.word[0][first_lane(lanes)] == lanes;
  out.word[0] = same_words(same ? lanes : 0);
  out.predicate[0] = same ? all_lanes : 0;
}

/// REDUX d, a: one number of all lanes that execute.
template <class Of>
void reduce(StepSources& in, StepOutputs& out, Of of) {
  const Words& a = in.raw(0);
  const LaneMask lanes = in.lanes();
  if (!all_known(out, in)) return void(out.known = 0);
  out.known = all_lanes;
  std::uint32_t made = a[first_lane(lanes)];
  for (std::size_t i = first_lane(lanes) + 1; i < warp_lanes; ++i) {
    if (has_lane(lanes, i)) made = of(made, a[i]);
  }
  out.word[0] = same_words(made);
}
void reduce_sum(const CodeStep&, StepSources& in, StepOutputs& out) {
  reduce(in, out, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
void reduce_or(const CodeStep&, StepSources& in, StepOutputs& out) {
  reduce(in, out, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
void reduce_xor(const CodeStep&, StepSources& in, StepOutputs& out) {
  reduce(in, out, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}
void reduce_and(const CodeStep&, StepSources& in, StepOutputs& out) {
  reduce(in, out, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
bool less(const CodeStep& step, std::uint32_t a, std::uint32_t b) {
  return step.has(Modifier::Signed) ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
}
void reduce_least(const CodeStep& step, StepSources& in, StepOutputs& out) {
  reduce(in, out, [&](std::uint32_t a, std::uint32_t b) { return less(step, b, a) ? b : a; });
}
void reduce_most(const CodeStep& step, StepSources& in, StepOutputs& out) {
  reduce(in, out, [&](std::uint32_t a, std::uint32_t b) { return less(step, a, b) ? b : a; });
}

/// ELECT p, d, q: p holds in the first lane that executes and in which q holds; d is its number.
void elect(const CodeStep&, StepSources& in, StepOutputs& out) {
  const LaneMask lanes = in.lanes() & in.predicate(0);
  const auto first = static_cast<std::uint32_t>(first_lane(lanes));
  out.predicate[0] = lanes == 0 ? 0 : LaneMask{1} << first;
  out.word[0] = same_words(first);
}

/// USETMAXREG.TRY_ALLOC.CTAPOOL p, count: whether the warp got the registers. Other warps give theirs back in time.
void get_registers(const CodeStep&, StepSources&, StepOutputs& out) { out.predicate[0] = all_lanes; }

}  // namespace

std::span<const SemanticsRow> warp_forms() {
  static constexpr auto rows = std::to_array<SemanticsRow>({
      {"SHFL", "IDX", "", 3, 0, shuffle<ShuffleMode::Index>},
      {"SHFL", "UP", "", 3, 0, shuffle<ShuffleMode::Up>},
      {"SHFL", "DOWN", "", 3, 0, shuffle<ShuffleMode::Down>},
      {"SHFL", "BFLY", "", 3, 0, shuffle<ShuffleMode::Butterfly>},
      {"VOTE", "ANY", "", 0, 1, vote_any},
      {"VOTE", "ALL", "", 0, 1, vote_all},
      {"VOTE", "EQ", "", 0, 1, vote_equal},
      {"MATCH", "ANY", "U64", 1, 0, match<false>},
      {"MATCH", "ALL", "U64", 1, 0, match<true>},
      {"REDUX", "SUM", "S32", 1, 0, reduce_sum},
      {"REDUX", "XOR", "", 1, 0, reduce_xor},
      {"REDUX", "MIN", "S32", 1, 0, reduce_least},
      {"REDUX", "MAX", "S32", 1, 0, reduce_most},
      {"REDUX", "OR", "", 1, 0, reduce_or},
      {"REDUX", "", "", 1, 0, reduce_and},
      {"ELECT", "", "", 0, 1, elect},
      {"USETMAXREG", "TRY_ALLOC", "CTAPOOL", 1, 0, get_registers},
  });
  return rows;
}

}  // namespace warpclock
