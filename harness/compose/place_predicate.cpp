#include <algorithm>
#include <utility>

#include "compose/hole_source.hpp"
#include "compose/placing.hpp"

namespace warpclock {

Expected<int> Placer::predicate_at(const WordForm& form, bool chained, std::size_t chain) {
  const std::size_t some = hole_.predicates.size();
  if (some < 2 || !movers_.to_predicate) return impossible(form, "has a predicate");
  if (compared_ && predicates_.size() == some) return impossible(form, "reads too many predicates");
  const int number = chained     ? hole_.predicates[chain % (some - 1)]
                     : compared_ ? hole_.predicates[some - 1 - predicates_.size()]
                                 : hole_.predicates.back();
  if (std::ranges::find(predicates_, number) == predicates_.end()) predicates_.push_back(number);
  return number;
}

Expected<int> Placer::uniform_predicate_at(const WordForm& form) {
  const std::size_t some = hole_.uniform_predicates.size(), others = compared_ ? uniform_predicates_.size() : 0;
  if (others >= some || !movers_.to_uniform_predicate) return impossible(form, "reads a uniform predicate");
  const int number = hole_.uniform_predicates[some - 1 - others];
  if (std::ranges::find(uniform_predicates_, number, &std::pair<int, int>::first) == uniform_predicates_.end()) {
    const int from = WARPCLOCK_TRY(uniform_at(form, result_quads + others, 1, false));
    uniform_predicates_.emplace_back(number, from);
  }
  return number;
}

// Each goes to one register of a quad.
Expected<void> Placer::read_predicates(std::vector<Copy>& after) const {
  int component = 3;
  const auto read = [&](int predicate) -> Expected<void> {
    if (!movers_.from_predicate || component < 0) return {};
    const int to = hole_.quads[0] + component--;
    after.emplace_back() = WARPCLOCK_TRY(moved(movers_.from_predicate, to, predicate));
    if (compared_) after.back() = WARPCLOCK_TRY(chosen_or_zero(movers_, to, predicate));
    return {};
  };
  for (const int predicate : predicate_results_) WARPCLOCK_TRY(read(predicate));
  if (!compared_ || !movers_.from_uniform_predicate) return {};
  for (const int predicate : uniform_predicate_results_) {
    if (hole_.predicates.empty()) return fail("compose", "no predicate is left to read a uniform one");
    after.emplace_back() = WARPCLOCK_TRY(moved(movers_.from_uniform_predicate, hole_.predicates.back(), predicate));
    WARPCLOCK_TRY(read(hole_.predicates.back()));
  }
  return {};
}

}  // namespace warpclock
