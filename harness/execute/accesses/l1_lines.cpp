#include "execute/accesses/l1_lines.hpp"

namespace warpclock {

std::size_t L1Lines::room() {
  if (lines_.size() < most_) {
    lines_.emplace_back();
    return lines_.size() - 1;
  }
  // A fixed sequence of numbers, so that each prediction is the same.
  constexpr std::uint32_t factor = 1'664'525, summand = 1'013'904'223;
  chosen_ = chosen_ * factor + summand;
  std::size_t at = (chosen_ >> 8U) % most_;
  while (lines_[at].used) at = at + 1 == most_ ? 0 : at + 1;
  at_.erase(lines_[at].number);
  return at;
}

L1Lines::Line& L1Lines::held(std::uint64_t line) {
  const auto found = at_.find(line);
  const std::size_t at = found != at_.end() ? found->second : room();
  Line& one = lines_[at];
  const bool made = found == at_.end();
  if (made) one = {.number = line}, at_[line] = at;
  // With three of four new lines L1 answers as much as counters say; with all of them too little.
  if (one.used || (made && chosen_ >> 30U == 0)) return one;
  if (++used_ == most_) {
    for (Line& each : lines_) each.used = false;
    used_ = 1;
  }
  one.used = most_ > 1;
  return one;
}

L1Lines::Answer L1Lines::load(std::uint64_t line, std::uint32_t sectors, std::uint64_t round) {
  if (most_ == 0) return {sectors, true};
  Line& one = held(line);
  const std::uint32_t missing = sectors & ~one.sectors;
  if (one.round != round) one.new_sectors = 0, one.round = round;
  one.sectors |= sectors, one.new_sectors |= missing;
  return {missing, (sectors & one.new_sectors) != 0};
}

void L1Lines::store(std::uint64_t line, std::uint32_t sectors) {
  if (most_ > 0) held(line).sectors |= sectors;
}

}  // namespace warpclock
