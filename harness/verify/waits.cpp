#include "verify/waits.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "verify/chain.hpp"
#include "verify/outstanding.hpp"

namespace warpclock {
namespace {

constexpr int scoreboards = 6;
constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

/// For each scoreboard, the first instruction in the listing that may still hold it.
struct State {
  std::array<std::size_t, scoreboards> holder;
  bool reached = false;

  State() { holder.fill(nobody); }
};

bool merge(State& into, const State& from) {
  bool changed = !into.reached;
  into.reached = true;
  for (int i = 0; i < scoreboards; ++i) {
    if (from.holder[i] >= into.holder[i]) continue;
    into.holder[i] = from.holder[i];
    changed = true;
  }
  return changed;
}

void clear(State& state, unsigned mask) {
  for (int i = 0; i < scoreboards; ++i) {
    if (mask >> i & 1) state.holder[i] = nobody;
  }
}

enum class Concern { Results, ResultsAndReads, Memory };

/// The state before the instruction at `open` over every path from `start`. Instructions from `open` to `close` are
/// assumed to hold nothing.
State before_window(const Listing& listing, std::size_t start, std::size_t open, std::size_t close, Concern counted) {
  const auto& code = listing.instructions;
  std::vector<State> before(code.size());
  std::deque<std::size_t> work{start};
  before[start].reached = true;
  while (!work.empty()) {
    const std::size_t index = work.front();
    work.pop_front();
    State after = before[index];
    const Control& control = code[index].control;
    clear(after, awaited_by(code[index]).all);
    for (const int set : {control.write_barrier, counted == Concern::ResultsAndReads ? control.read_barrier : -1}) {
      const bool outside = (index < open || index > close) && (counted != Concern::Memory || from_memory(code[index]));
      if (set >= 0 && set < scoreboards && outside) after.holder[set] = std::min(after.holder[set], index);
    }
    for (const std::size_t next : successors(listing, index)) {
      if (merge(before[next], after)) work.push_back(next);
    }
  }
  return before[open];
}

/// The instructions between the two, and those elsewhere that are reached from `open` before `close`: ptxas puts the
/// rare side of a branch after the end of the kernel.
std::set<std::size_t> between(const Listing& listing, std::size_t open, std::size_t close) {
  std::set<std::size_t> found;
  for (std::size_t i = open + 1; i <= close; ++i) found.insert(i);
  std::deque<std::size_t> work(found.begin(), found.end());
  while (!work.empty()) {
    const std::size_t index = work.front();
    work.pop_front();
    if (index == close) continue;
    for (const std::size_t next : successors(listing, index)) {
      if (found.insert(next).second) work.push_back(next);
    }
  }
  return found;
}

std::optional<Leak> first_wait(const Listing& listing, State held, std::size_t open, std::size_t close) {
  clear(held, awaited_by(listing.instructions[open]).all);
  for (const std::size_t i : between(listing, open, close)) {
    const unsigned mask = awaited_by(listing.instructions[i]).all;
    for (int scoreboard = 0; scoreboard < scoreboards; ++scoreboard) {
      if ((mask >> scoreboard & 1) && held.holder[scoreboard] != nobody) {
        return Leak{.setter = held.holder[scoreboard], .waiter = i, .scoreboard = scoreboard};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool from_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 9> opcodes{"LD", "LDG", "LDL", "ATOM", "ATOMG", "TEX", "TLD", "TLD4", "SULD"};
  return std::ranges::find(opcodes, instruction.opcode) != opcodes.end();
}

std::optional<Leak> find_leak(const Listing& listing, std::size_t open, std::size_t close) {
  const auto leak = first_wait(listing, before_window(listing, 0, open, close, Concern::Results), open, close);
  if (leak) return leak;
  return first_wait(listing, before_window(listing, close, open, close, Concern::ResultsAndReads), open, close);
}

std::optional<Leak> find_late_wait(const Listing& listing, std::size_t access, std::size_t open) {
  State held = before_window(listing, open, access, open, Concern::Memory);
  if (!held.reached) held = before_window(listing, 0, access, open, Concern::Memory);
  return first_wait(listing, held, access, open);
}

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
