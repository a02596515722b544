#include "compose/schedule.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "code/pipe.hpp"

namespace warpclock {
namespace {

// Results of fixed latency are there for their own pipe after four cycles at the earliest, for another one after five.
// ptxas leaves less before instructions that read their operands late.
constexpr int own_pipe = 4, other_pipe = 5, for_guards = 13, scoreboard_distance = 2;
// What a scoreboard is expected to take, for the order alone.
constexpr int by_scoreboard = 24;
constexpr std::size_t most_ahead = 3, most_behind = 400;  // copies, words

/// Cycles from a word to a later one that reads or overwrites its result.
int between(const BodyWord& producer, const BodyWord& consumer, bool as_guard) {
  if (producer.ready == 0) return scoreboard_distance;
  const bool same = pipe_of(producer.instruction.name()) == pipe_of(consumer.instruction.name());
  return std::max(producer.ready, as_guard ? for_guards : same ? own_pipe : other_pipe);
}

/// Cycles from the issue of a copy's word to that of the next one.
int step(const BodyWord& word) {
  return word.interleaved ? (word.ready == 0 ? scoreboard_distance : 1) : word.distance;
}

struct Times {
  int issue = 0;     ///< the stall counts allow it from here on
  int expected = 0;  ///< the same with what scoreboards are expected to take
};

class Scheduler {
 public:
  Scheduler(const Body& body, const std::vector<Copy>& copies, bool chained)
      : body_(body),
        copies_(copies),
        chained_(chained),
        issue_(copies.size()),
        next_(copies.size() / body.words.size()) {}

  /// The order in which the words issue, and when each does.
  struct Order {
    std::vector<std::size_t> words;
    std::vector<int> issue;
  };

  Expected<Order> order() {
    Order order;
    while (order.words.size() < copies_.size()) {
      const int now = order.words.empty() ? 0 : order.issue.back() + 1;
      const std::size_t oldest = order.words.empty() ? 0 : order.words.back() / size();
      const auto best = best_at(now, oldest);
      if (!best) return fail("compose", "its copies wait for each other");
      issue_[best->first] = best->second;
      order.words.push_back(best->first);
      order.issue.push_back(best->second);
      ++next_[best->first / size()];
    }
    return order;
  }

 private:
  [[nodiscard]] std::size_t size() const { return body_.words.size(); }

  /// The word that issues next, and when.
  [[nodiscard]] std::optional<std::pair<std::size_t, int>> best_at(int now, std::size_t oldest) const {
    std::optional<std::pair<std::size_t, int>> best;
    int best_expected = 0;
    for (std::size_t copy = 0; copy < next_.size() && copy <= oldest + most_ahead; ++copy) {
      if (next_[copy] == size()) continue;
      const std::size_t i = copy * size() + next_[copy];
      const auto times = earliest(i);
      if (!times) continue;
      const int expected = std::max(now, times->expected);
      // Of two that can issue at the same time, the one of the later copy continues the chain.
      if (best && (expected > best_expected || (expected == best_expected && !chained_))) continue;
      best = {i, std::max(now, times->issue)};
      best_expected = expected;
    }
    return best;
  }

  /// When a word can issue; nothing before all earlier words with which it shares a register have.
  [[nodiscard]] std::optional<Times> earliest(std::size_t i) const {
    const Effects& effects = copies_[i].effects;
    const BodyWord& word = body_.words[i % size()];
    Times times;
    const auto after = [&](int cycles, int expected) {
      times.issue = std::max(times.issue, cycles);
      times.expected = std::max({times.expected, cycles, expected});
    };
    if (i % size() != 0) after(*issue_[i - 1] + step(body_.words[(i - 1) % size()]), 0);
    for (std::size_t j = i; j-- > (i > most_behind ? i - most_behind : 0);) {
      const Effects& earlier = copies_[j].effects;
      const BodyWord& producer = body_.words[j % size()];
      const auto touches = [&](Register reg) { return effects.reads(reg) || effects.writes_to(reg); };
      if (std::ranges::any_of(earlier.writes, touches)) {
        if (!issue_[j]) return std::nullopt;
        const bool guards = std::ranges::any_of(effects.guard, [&](Register reg) { return earlier.writes_to(reg); });
        int cycles = between(producer, word, guards);
        if (j / size() == i / size()) cycles = inside(j % size(), i % size(), cycles);
        after(*issue_[j] + cycles, producer.ready == 0 ? *issue_[j] + by_scoreboard : 0);
      } else if (!issue_[j] && std::ranges::any_of(effects.writes, [&](Register reg) { return earlier.reads(reg); })) {
        return std::nullopt;
      }
    }
    return times;
  }

  /// The cycles that ptxas left between two words of the body, or `enough` if it also put others between them.
  [[nodiscard]] int inside(std::size_t from, std::size_t to, int enough) const {
    int cycles = 0;
    bool interleaved = false;
    for (std::size_t i = from; i < to; ++i) {
      cycles += body_.words[i].distance;
      interleaved = interleaved || body_.words[i].interleaved;
    }
    return interleaved ? std::min(cycles, enough) : cycles;
  }

  const Body& body_;
  const std::vector<Copy>& copies_;
  const bool chained_;
  std::vector<std::optional<int>> issue_;
  std::vector<std::size_t> next_;  ///< by copy: its next word
};

}  // namespace

Expected<std::vector<Copy>> scheduled(const Body& body, std::vector<Copy> copies, bool chained) {
  const auto order = WARPCLOCK_TRY(Scheduler(body, copies, chained).order());
  std::vector<std::size_t> position(order.words.size());
  for (std::size_t k = 0; k < order.words.size(); ++k) position[order.words[k]] = k;
  std::vector<Copy> ordered;
  for (std::size_t k = 0; k < order.words.size(); ++k) {
    Copy& copy = ordered.emplace_back(std::move(copies[order.words[k]]));
    for (std::size_t& earlier : copy.after) earlier = position[earlier];
    copy.stall = k + 1 < order.words.size() ? order.issue[k + 1] - order.issue[k] : 1;
  }
  return ordered;
}

}  // namespace warpclock
