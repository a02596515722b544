#include "execute/accesses/l1_lines.hpp"

namespace warpclock {

std::uint32_t L1Lines::load(std::uint64_t line, std::uint32_t sectors) {
  if (most_ == 0) return sectors;
  if (const auto found = at_.find(line); found != at_.end()) {
    Line& held = *found->second;
    const std::uint32_t missing = sectors & ~held.sectors;
    held.sectors |= sectors;
    lines_.splice(lines_.begin(), lines_, found->second);
    return missing;
  }
  if (lines_.size() == most_) {
    at_.erase(lines_.back().number);
    lines_.splice(lines_.begin(), lines_, std::prev(lines_.end()));
    lines_.front() = {line, sectors};
  } else {
    lines_.push_front({line, sectors});
  }
  at_[line] = lines_.begin();
  return sectors;
}

}  // namespace warpclock
