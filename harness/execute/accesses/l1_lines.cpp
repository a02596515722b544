#include "execute/accesses/l1_lines.hpp"

namespace warpclock {

L1Lines::Answer L1Lines::load(std::uint64_t line, std::uint32_t sectors, std::uint64_t round) {
  if (most_ == 0) return {sectors, true};
  if (const auto found = at_.find(line); found != at_.end()) {
    Line& held = *found->second;
    const std::uint32_t missing = sectors & ~held.sectors;
    if (held.round != round) held.new_sectors = 0, held.round = round;
    held.sectors |= sectors, held.new_sectors |= missing;
    lines_.splice(lines_.begin(), lines_, found->second);
    return {missing, (sectors & held.new_sectors) != 0};
  }
  const Line made{line, sectors, sectors, round};
  if (lines_.size() == most_) {
    at_.erase(lines_.back().number);
    lines_.splice(lines_.begin(), lines_, std::prev(lines_.end()));
    lines_.front() = made;
  } else {
    lines_.push_front(made);
  }
  at_[line] = lines_.begin();
  return {sectors, true};
}

}  // namespace warpclock
