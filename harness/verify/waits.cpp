#include "verify/waits.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "code/modifiers.hpp"
#include "code/semantics.hpp"
#include "verify/chain.hpp"

namespace warpclock {
namespace {

/// A multiplication that takes two passes. It issues `later` cycles after the stall count before it allows, and at
/// least `settled` cycles after the instructions that wrote its factors issued. It does not wait for its addend.
struct TwoPass {
  std::string_view target, opcode, modifier;
  int later, settled;
  int low_earlier;  ///< the lower half of its own result is ready this many cycles before the upper half
};

// Source: measured on an H200 with patched stall counts; `low_earlier` and the addend only from recorded windows.
constexpr std::array<TwoPass, 2> two_pass_rows{{
    {"sm_90", "IMAD", "WIDE", 2, 9, 2},
    {"sm_90", "IMAD", "HI", 2, 9, 0},
}};
constexpr int longest = 9;
constexpr std::size_t factors = 2;

}  // namespace

std::optional<IssueWait> issue_wait(std::string_view target, const Instruction& instruction) {
  const auto row = std::ranges::find_if(two_pass_rows, [&](const TwoPass& one) {
    return target.starts_with(one.target) && instruction.opcode == one.opcode &&
           has_modifier(instruction, one.modifier);
  });
  if (row == two_pass_rows.end()) return std::nullopt;
  return IssueWait{row->later, row->settled, row->low_earlier, factors};
}

int waited_cycles(const Listing& listing, std::size_t first, std::size_t last) {
  const auto& code = listing.instructions;
  std::map<Register, int> made;  // cycle at which a register's writer issued; for the lower half of a two-pass product,
                                 // low_earlier cycles less
  int now = 0, waited = 0;
  // An issue takes at least one cycle, so everything before this is settled.
  const std::size_t begin = first - std::min<std::size_t>(first, longest);
  for (std::size_t i = begin; i <= last; ++i) {
    if (i > begin) now += issue_distance(code[i - 1].control);
    const Effects effects = effects_of(code[i]);
    const auto row = issue_wait(listing.target, code[i]);
    if (row) {
      int issue = now + row->later;
      for (std::size_t factor = 0; factor < std::min(row->factors, effects.sources.size()); ++factor) {
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
