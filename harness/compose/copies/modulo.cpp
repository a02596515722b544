#include "compose/copies/modulo.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace warpclock {
namespace {

/// By word: the longest time from its issue to the issue of any word that depends on it. Nothing if a dependence cannot
/// be met with this period.
std::optional<std::vector<int>> heights(std::size_t words, const std::vector<IssueDependence>& dependences,
                                        int period) {
  std::vector<int> height(words, 0);
  for (std::size_t round = 0; round <= words; ++round) {
    bool changed = false;
    for (const IssueDependence& one : dependences) {
      const int least = height[one.to] + one.cycles - one.copies * period;
      if (least <= height[one.from]) continue;
      height[one.from] = least;
      changed = true;
    }
    if (!changed) return height;
  }
  return std::nullopt;
}

/// One attempt at a period.
class PeriodTrial {
 public:
  PeriodTrial(const std::vector<IssueSlot>& words, const std::vector<IssueDependence>& dependences,
              std::vector<int> height, int period)
      : words_(words),
        dependences_(dependences),
        height_(std::move(height)),
        period_(period),
        at_(words.size()),
        tried_(words.size(), -1) {}

  std::optional<std::vector<int>> run() {
    constexpr std::size_t patience = 20;
    for (std::size_t left = patience * words_.size(); left > 0; --left) {
      const auto next = most_urgent();
      if (!next) {
        std::vector<int> times(at_.size());
        std::ranges::transform(at_, times.begin(), [](const auto& time) { return *time; });
        return times;
      }
      place(*next);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> most_urgent() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (!at_[i] && (!best || height_[i] > height_[*best])) best = i;
    }
    return best;
  }

  void place(std::size_t word) {
    int earliest = 0;
    for (const IssueDependence& one : dependences_) {
      if (one.to != word || !at_[one.from]) continue;
      earliest = std::max(earliest, *at_[one.from] + one.cycles - one.copies * period_);
    }
    int time = earliest;
    while (time < earliest + period_ && !is_free(word, time)) ++time;
    if (time == earliest + period_) time = std::max(earliest, tried_[word] + 1);
    for (std::size_t other = 0; other < at_.size(); ++other) {
      if (at_[other] && collide(word, time, other)) at_[other].reset();
    }
    at_[word] = tried_[word] = time;
    for (const IssueDependence& one : dependences_) {
      if (one.from != word || one.to == word || !at_[one.to]) continue;
      if (*at_[one.to] < time + one.cycles - one.copies * period_) at_[one.to].reset();
    }
  }

  [[nodiscard]] bool is_free(std::size_t word, int time) const {
    for (std::size_t other = 0; other < at_.size(); ++other) {
      if (other != word && at_[other] && collide(word, time, other)) return false;
    }
    return true;
  }

  /// Whether the word at this time would issue with another one of some copy, or while that one keeps its pipe busy.
  [[nodiscard]] bool collide(std::size_t word, int time, std::size_t other) const {
    const int after = ((time - *at_[other]) % period_ + period_) % period_, before = period_ - after;
    if (after == 0) return true;
    return words_[word].pipe == words_[other].pipe && (after < words_[other].busy || before < words_[word].busy);
  }

  const std::vector<IssueSlot>& words_;
  const std::vector<IssueDependence>& dependences_;
  const std::vector<int> height_;
  const int period_;
  std::vector<std::optional<int>> at_;
  std::vector<int> tried_;
};

/// The period that the pipes and the issue of one word a cycle allow.
int least_busy(const std::vector<IssueSlot>& words) {
  std::map<std::string_view, int> busy;
  for (const IssueSlot& one : words) busy[one.pipe] += one.busy;
  int least = static_cast<int>(words.size());
  for (const auto& [pipe, cycles] : busy) least = std::max(least, cycles);
  return least;
}

}  // namespace

std::optional<int> least_period(std::size_t words, const std::vector<IssueDependence>& dependences) {
  int most = 1;
  for (const IssueDependence& one : dependences) most += std::max(one.cycles, 0);
  if (!heights(words, dependences, most)) return std::nullopt;
  std::vector<int> periods(static_cast<std::size_t>(most));
  std::iota(periods.begin(), periods.end(), 1);
  return *std::ranges::partition_point(periods,
                                       [&](int period) { return !heights(words, dependences, period).has_value(); });
}

std::optional<PeriodicSchedule> periodic_schedule(const std::vector<IssueSlot>& words,
                                                  const std::vector<IssueDependence>& dependences) {
  const auto by_dependences = least_period(words.size(), dependences);
  if (!by_dependences) return std::nullopt;
  const int least = std::max(*by_dependences, least_busy(words));
  for (int period = least; period < 4 * least + 1; ++period) {
    auto times = PeriodTrial(words, dependences, *heights(words.size(), dependences, period), period).run();
    if (times) return PeriodicSchedule{period, *std::move(times)};
  }
  return std::nullopt;
}

}  // namespace warpclock
