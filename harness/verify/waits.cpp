#include "verify/waits.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "verify/chain.hpp"

namespace warpclock {
namespace {

/// A multiplication that takes two passes. It issues `later` than the stall count before it allows, and not before a
/// factor that it reads is `settled` cycles old, from the issue that made it. Its addend it does not wait for.
struct TwoPass {
  std::string_view target, opcode, modifier;
  int later, settled;
  int low_earlier;  ///< the lower half of its own result has settled this much before the upper
};

// Source: measured on an H200, by patched stall counts; `low_earlier` and the addend by recorded windows alone.
constexpr std::array<TwoPass, 2> two_pass_rows{{
    {"sm_90", "IMAD", "WIDE", 2, 9, 2},
    {"sm_90", "IMAD", "HI", 2, 9, 0},
}};
constexpr int longest = 9;
constexpr std::size_t factors = 2;

const TwoPass* row_of(const Listing& listing, const Instruction& instruction) {
  const auto row = std::ranges::find_if(two_pass_rows, [&](const TwoPass& one) {
    return listing.target.starts_with(one.target) && instruction.opcode == one.opcode &&
           has_modifier(instruction, one.modifier);
  });
  return row == two_pass_rows.end() ? nullptr : &*row;
}

}  // namespace

int waited_cycles(const Listing& listing, std::size_t first, std::size_t last) {
  const auto& code = listing.instructions;
  std::map<Register, int> made;  // when what is in a register would have been issued, were all its cycles needed
  int now = 0, waited = 0;
  // An issue takes a cycle at least: nothing before this is still young.
  const std::size_t begin = first - std::min<std::size_t>(first, longest);
  for (std::size_t i = begin; i <= last; ++i) {
    if (i > begin) now += issue_distance(code[i - 1].control);
    const Effects effects = effects_of(code[i]);
    const TwoPass* row = row_of(listing, code[i]);
    if (row) {
      int issue = now + row->later;
      for (std::size_t factor = 0; factor < std::min(factors, effects.sources.size()); ++factor) {
        for (const Register reg : effects.sources[factor]) {
          if (const auto at = made.find(reg); at != made.end()) issue = std::max(issue, at->second + row->settled);
        }
      }
      if (i > first) waited += issue - now;
      now = issue;
    }
    for (std::size_t k = 0; k < effects.writes.size(); ++k) {
      const bool low = row && k == 0;
      made[effects.writes[k]] = now - (low ? row->low_earlier : 0);
    }
  }
  return waited;
}

}  // namespace warpclock
