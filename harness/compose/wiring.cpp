#include "compose/wiring.hpp"

#include <algorithm>
#include <map>

#include "code/listing.hpp"

namespace warpclock {

std::vector<Word> wired(std::span<const Copy> copies) {
  constexpr int most_stall = 15, scoreboards = 6;
  std::vector<Word> words;
  std::map<Register, int> pending;
  int next = 0;
  for (const Copy& copy : copies) {
    Control control{.stall = std::min(copy.stall, most_stall), .yield = copy.yield || copy.stall >= yielding_stall};
    for (const auto& [written, scoreboard] : pending) {
      if (copy.effects.reads(written)) control.wait_mask |= 1U << scoreboard;
    }
    std::erase_if(pending, [&](const auto& one) { return (control.wait_mask >> one.second & 1U) != 0; });
    for (const Register& written : copy.effects.writes) pending.erase(written);
    if (copy.write_scoreboard) {
      control.write_barrier = next++ % scoreboards;
      for (const Register& written : copy.effects.writes) pending[written] = control.write_barrier;
    }
    words.push_back(with_control(copy.word, control));
    for (int left = copy.stall - most_stall; left > 0; left -= most_stall) {
      words.push_back(
          with_control(no_operation, {.stall = std::min(left, most_stall), .yield = left >= yielding_stall}));
    }
  }
  return words;
}

}  // namespace warpclock
