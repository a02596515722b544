#include "compose/wiring.hpp"

#include <algorithm>
#include <map>

#include "code/listing.hpp"

namespace warpclock {

void give_time_to_set(Word& word, unsigned wait_mask) {
  Control control = decode_control(word.high);
  const auto waits = [&](int scoreboard) { return scoreboard >= 0 && (wait_mask >> scoreboard & 1U) != 0; };
  if (!waits(control.write_barrier) && !waits(control.read_barrier)) return;
  control.stall = std::max(control.stall, least_scoreboard_distance);
  word = with_control(word, control);
}

std::vector<Word> wired(std::span<const Copy> copies) {
  constexpr int most_stall = 15, scoreboards = 6;
  std::vector<Word> words;
  std::map<Register, int> written, read;             // the scoreboards that signal it
  std::vector<std::vector<int>> set(copies.size());  // by each copy, and not waited for yet
  int next = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Copy& copy = copies[i];
    Control control{.stall = std::min(copy.stall, most_stall), .yield = copy.yield || copy.stall >= yielding_stall};
    if (copy.waits_for_all) control.wait_mask = (1U << scoreboards) - 1;
    if (copy.no_stall) control.stall = 0, control.yield = true;  // no other word has a stall count of 0
    const auto wait = [&](int scoreboard) { control.wait_mask |= 1U << scoreboard; };
    for (const auto& [reg, scoreboard] : written) {
      if (copy.effects.reads(reg) || (copy.keeps_order && copy.effects.writes_to(reg))) wait(scoreboard);
    }
    for (const auto& [reg, scoreboard] : read) {
      if (copy.effects.writes_to(reg)) wait(scoreboard);
    }
    for (const std::size_t earlier : copy.after) std::ranges::for_each(set[earlier], wait);
    const auto is_over = [&](int scoreboard) { return (control.wait_mask >> scoreboard & 1U) != 0; };
    std::erase_if(written, [&](const auto& one) { return is_over(one.second); });
    std::erase_if(read, [&](const auto& one) { return is_over(one.second); });
    for (auto& all : set) std::erase_if(all, is_over);
    for (const Register& reg : copy.effects.writes) written.erase(reg);
    const auto take = [&](int& barrier) {
      barrier = next++ % scoreboards;
      set[i].push_back(barrier);
    };
    if (copy.write_scoreboard) {
      take(control.write_barrier);
      for (const Register& reg : copy.effects.writes) written[reg] = control.write_barrier;
    }
    if (copy.read_scoreboard) {
      take(control.read_barrier);
      for (const auto& source : copy.effects.sources) {
        for (const Register& reg : source) read[reg] = control.read_barrier;
      }
    }
    if (!words.empty()) give_time_to_set(words.back(), control.wait_mask);
    words.push_back(with_control(copy.word, control));
    for (int left = copy.stall - most_stall; left > 0; left -= most_stall) {
      words.push_back(
          with_control(no_operation, {.stall = std::min(left, most_stall), .yield = left >= yielding_stall}));
    }
  }
  return words;
}

}  // namespace warpclock
