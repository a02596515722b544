#include "compose/filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

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

namespace {

void put(std::string& image, std::size_t at, const Word& word) {
  std::string bytes;
  append_word(bytes, word);
  image.replace(at, bytes.size(), bytes);
}

std::size_t words_in(const Filling& filling) {
  return filling.before.size() + filling.window.size() + filling.after.size();
}

std::size_t rests_in(const Filling& filling) {
  return hole_rest * (filling.after.empty() ? 2 : 3) + (filling.before.empty() ? 0 : hole_rest + 1);
}

}  // namespace

Word waiting_for(Word word, std::span<const Word> words) {
  Control control = decode_control(word.high);
  for (const Word& one : words) {
    const Control setting = decode_control(one.high);
    for (const int scoreboard : {setting.write_barrier, setting.read_barrier}) {
      if (scoreboard >= 0) control.wait_mask |= 1U << scoreboard;
    }
  }
  return with_control(word, control);
}

PlacedWord placed_word(const Copy& copy) {
  return {with_control(copy.word, {.stall = 1}), copy.key, copy.effects, copy.write_scoreboard, copy.distance};
}

std::size_t room_for_window(const Hole& hole, const Filling& filling) {
  const std::size_t taken = filling.before.size() + filling.after.size() + rests_in(filling);
  const std::size_t room = hole.kernels.front().room;
  return taken < room ? room - taken : 0;
}

Expected<std::string> fill_hole(const Hole& hole, std::span<const Filling> fillings) {
  if (fillings.size() > hole.kernels.size()) {
    return fail("hole", fmt::format("{} fillings are too many for {} kernels", fillings.size(), hole.kernels.size()));
  }
  // ptxas sets the yield hint with a stall of 12 or more.
  const Word rest = with_control(no_operation, {.stall = 15, .yield = true});
  std::string image = hole.image;
  for (std::size_t i = 0; i < fillings.size(); ++i) {
    const HoleKernel& kernel = hole.kernels[i];
    const Filling& filling = fillings[i];
    if (words_in(filling) + rests_in(filling) > kernel.room) {
      return fail("hole",
                  fmt::format("{} words are too many for {}", filling.window.size(), room_for_window(hole, filling)));
    }
    const auto address = [&](std::size_t at) { return kernel.code + (kernel.open + at) * word_bytes; };
    const auto read = [&](std::size_t at) {
      return words_of(std::string_view(hole.image).substr(address(at), word_bytes)).front();
    };
    const Word open = read(0), close = read(kernel.room + 1);
    std::vector<Word> words = filling.before;
    if (!filling.before.empty()) {
      words.insert(words.end(), hole_rest, rest);
      words.push_back(waiting_for(hole.barrier, filling.before));
    }
    words.insert(words.end(), hole_rest, rest);
    // The first word may read what the opening clock read waited for.
    Control first = decode_control(words.front().high);
    first.wait_mask |= decode_control(open.high).wait_mask;
    words.front() = with_control(words.front(), first);
    words.push_back(open);
    words.insert(words.end(), filling.window.begin(), filling.window.end());
    const Word last = waiting_for(close, filling.window);
    give_time_to_set(words.back(), decode_control(last.high).wait_mask);
    words.push_back(last);
    words.insert(words.end(), hole_rest, rest);
    words.insert(words.end(), filling.after.begin(), filling.after.end());
    words.resize(kernel.room + 2, rest);
    for (std::size_t at = 0; at < words.size(); ++at) put(image, address(at), words[at]);
  }
  return image;
}

}  // namespace warpclock
