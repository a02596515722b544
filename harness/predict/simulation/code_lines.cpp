#include "predict/simulation/code_lines.hpp"

#include <algorithm>

#include "code/word.hpp"
#include "execute/bank_turns.hpp"

namespace warpclock {

CodeLines::CodeLines(const FetchCost& cost, std::size_t instructions)
    : lines_(instructions * word_bytes / line_bytes + 1),
      of_line_(static_cast<double>(lines_.size()) > cost.second_lines ? cost.far : cost.second),
      room_(cost.nearest_lines),
      known_jump_(static_cast<double>(lines_.size()) > cost.second_lines ? cost.far_jump : cost.second_jump),
      far_jump_(cost.far_jump) {
  for (Line& line : lines_) line.known = !cost.cold;
}

std::vector<std::size_t>::iterator CodeLines::oldest() {
  return std::ranges::min_element(held_, {}, [&](std::size_t one) { return lines_[one].used; });
}

void CodeLines::fetch(std::size_t place, double begin, double takes) {
  if (is_full()) {
    const auto makes_room = oldest();
    lines_[*makes_room].there = -1;
    *makes_room = place;
  } else {
    held_.push_back(place);
  }
  // What a launch takes to begin has its first instructions in it.
  free_ = place == 0 ? begin : begin + takes;
  lines_[place] = {free_, true, ++uses_};
  next_ = place + 1;
}

double CodeLines::ready(std::size_t index, double now) {
  if (of_line_ <= 0) return now;
  const std::size_t place = index * word_bytes / line_bytes;
  while (!held_.empty() && !waits_ && next_ < lines_.size() && free_ <= now) {
    if (lines_[next_].there >= 0)
      ++next_;
    else if (waits_ = is_full() && lines_[*oldest()].used > missed_; !waits_)
      fetch(next_, free_, of_line_);
  }
  Line& line = lines_[place];
  if (line.there < 0) {
    const double jump = line.known ? known_jump_ : far_jump_;
    const bool goes_on = place == next_ || jump <= 0;
    missed_ = uses_, waits_ = false;
    fetch(place, goes_on ? std::max(now, free_) : now, goes_on ? of_line_ : jump);
  }
  line.used = ++uses_;
  return std::max(now, line.there);
}

}  // namespace warpclock
