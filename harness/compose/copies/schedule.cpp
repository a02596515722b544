#include "compose/copies/schedule.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "code/semantics.hpp"

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

namespace {

// Results of fixed latency are there for their own pipe after four cycles at the earliest, for another one after five.
// Tensor, fp64 and HFMA2.MMA instructions read theirs earlier than others, and what they compute is there later
// (docs/findings.md). ptxas leaves less before
// instructions that read their operands late.
constexpr int own_pipe = 4, other_pipe = 5, fp64_reader = 6, tensor_reader = 7, fp64_result = 8, for_guards = 13,
              scoreboard_distance = least_scoreboard_distance;
// What a scoreboard is expected to take, for the order alone.
constexpr int by_scoreboard = 24;
// Longer bodies fill the issue slots without an overlap.
constexpr std::size_t most_overlapped = 64;

/// Cycles for which an instruction keeps its pipe busy on sm_90: the intervals of reports/nvidia-h200/machine.json.
int busy_cycles(const BodyWord& word, bool chained) {
  constexpr int half_rate = 2, slow = 8;
  // With several warps, a tensor pipe itself is the best judge of when the next instruction may issue.
  if (word.times != nullptr) return chained ? word.times->interval : 1;
  const Instruction& instruction = word.instruction;
  const std::string_view pipe = pipe_of(instruction.name());
  const bool full_rate = instruction.opcode == "FADD" || instruction.opcode == "FFMA" || instruction.opcode == "FMUL";
  if (pipe == "xu") return slow;
  return !full_rate && (pipe == "alu" || pipe == "fma" || pipe == "fp64" || pipe == "uniform") ? half_rate : 1;
}

/// On the fp64 pipe, or with its timing.
bool is_fp64_like(const BodyWord& word) {
  const std::string name = word.instruction.name();
  return pipe_of(name) == "fp64" || name.starts_with("HFMA2.MMA");
}

bool is_load(const BodyWord& word) { return word.instruction.opcode.starts_with("LD"); }

class Scheduler {
 public:
  Scheduler(const Body& body, const std::vector<Copy>& copies, bool chained)
      : body_(body), copies_(copies), count_(copies.size() / body.words.size()), chained_(chained) {
    follow_registers();
    keep_order();
    keep_scoreboards_apart();
  }

  struct Order {
    std::vector<std::size_t> words;
    std::vector<int> issue;
  };

  [[nodiscard]] Expected<Order> order() const {
    const bool waits = std::ranges::any_of(
        copies_, [](const Copy& copy) { return copy.write_scoreboard || copy.read_scoreboard || !copy.after.empty(); });
    if (size() > most_overlapped) return in_order_of({});
    std::vector<IssueSlot> slots;
    for (const BodyWord& word : body_.words) {
      slots.push_back({pipe_of(word.instruction.name()), busy_cycles(word, chained_)});
    }
    const auto schedule = periodic_schedule(slots, dependences(&Edge::expected));
    if (!schedule) return fail("compose", "its copies wait for each other");
    if (waits) return in_order_of(schedule);
    Order order = by_time(*schedule);
    for (const std::size_t i : order.words) order.issue.push_back(time(*schedule, i));
    const int first = order.issue.empty() ? 0 : order.issue.front();
    for (int& issue : order.issue) issue -= first;
    return order;
  }

 private:
  struct Edge {
    int fixed = 0;     ///< cycles by stall counts
    int expected = 0;  ///< the same with what scoreboards are expected to take
  };

  /// What reads a result: a source operand or the guard. Neither: it is overwritten.
  struct Reader {
    std::optional<std::size_t> operand;
    bool guards = false;
  };

  /// Two words of the body, and how many copies lie from the first to the second.
  struct Between {
    std::size_t from = 0, to = 0;
    int copies = 0;
    friend auto operator<=>(const Between&, const Between&) = default;
  };

  [[nodiscard]] std::size_t size() const { return body_.words.size(); }

  void add(std::size_t from, std::size_t to, Edge edge) {
    const auto copies = static_cast<int>(to / size()) - static_cast<int>(from / size());
    Edge& known = edges_[{.from = from % size(), .to = to % size(), .copies = copies}];
    known = {std::max(known.fixed, edge.fixed), std::max(known.expected, edge.expected)};
  }

  /// Each word waits for those that write what it reads or overwrites, and for those that read what it overwrites.
  void follow_registers() {
    std::map<Register, std::size_t> writer;
    std::map<Register, std::vector<std::size_t>> readers;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const Effects& effects = copies_[i].effects;
      const auto wait_for_result = [&](Register reg, Reader reader) {
        const auto from = writer.find(reg);
        if (from == writer.end()) return;
        add(from->second, i, after_result(from->second, i, reader));
      };
      for (std::size_t operand = 0; operand < effects.sources.size(); ++operand) {
        for (const Register reg : effects.sources[operand]) {
          wait_for_result(reg, {.operand = operand});
          readers[reg].push_back(i);
        }
      }
      for (const Register reg : effects.guard) {
        wait_for_result(reg, {.guards = true});
        readers[reg].push_back(i);
      }
      for (const Register reg : effects.writes) {
        wait_for_result(reg, {});
        for (const std::size_t reader : readers[reg]) {
          const int cycles = copies_[reader].read_scoreboard ? scoreboard_distance : 1;
          if (reader != i) add(reader, i, {cycles, cycles});
        }
        readers[reg].clear();
      }
      for (const Register reg : effects.writes) writer[reg] = i;
      for (const std::size_t earlier : copies_[i].after) add(earlier, i, {scoreboard_distance, by_scoreboard});
    }
  }

  void keep_order() {
    std::vector<std::size_t> ordered;
    for (std::size_t i = 0; i < size(); ++i) {
      if (body_.words[i].is_seen()) ordered.push_back(i);
    }
    for (std::size_t k = 1; k < ordered.size(); ++k) {
      const int cycles = inside(ordered[k - 1], ordered[k], scoreboard_distance);
      add(ordered[k - 1], ordered[k], {cycles, cycles});
    }
    // Only the last of several words on one pipe may set a scoreboard, which then signals that all are done.
    for (std::size_t i = 1; i < size(); ++i) {
      if (!variable_latency(body_.words[i].instruction)) continue;
      const std::string_view pipe = pipe_of(body_.words[i].instruction.name());
      for (std::size_t j = 0; j < i; ++j) {
        if (pipe_of(body_.words[j].instruction.name()) == pipe) add(j, i, {1, 1});
      }
    }
    const bool fences = std::ranges::any_of(ordered, [&](std::size_t i) { return !is_load(body_.words[i]); });
    if (!fences || count_ < 2) return;
    const bool apart = std::ranges::none_of(body_.words, &BodyWord::accesses_memory);
    const int cycles = apart && ordered.back() + 1 == size() ? body_.words.back().distance : 1;
    add(ordered.back(), size() + ordered.front(), {cycles, cycles});
  }

  /// Scoreboards are used in turn. What waits for one issues before a later copy sets it again; otherwise it would also
  /// wait for that copy.
  void keep_scoreboards_apart() {
    int used = 0;
    for (std::size_t i = 0; i < size() && i < copies_.size(); ++i) {
      used += (copies_[i].write_scoreboard ? 1 : 0) + (copies_[i].read_scoreboard ? 1 : 0);
    }
    if (used == 0) return;
    const int apart = std::max(1, static_cast<int>(scoreboards) / used);
    std::vector<std::pair<std::size_t, std::size_t>> waits;
    for (const auto& [where, edge] : edges_) {
      const auto [from, to, copies] = where;
      if (copies == 0 && edge.expected > edge.fixed) waits.emplace_back(from, to);
    }
    for (const auto& [setter, waiter] : waits) edges_.try_emplace(Between{waiter, setter, apart}, Edge{1, 1});
  }

  /// Cycles from a word to a later one that reads or overwrites its result.
  [[nodiscard]] Edge after_result(std::size_t from, std::size_t to, Reader reader) const {
    const BodyWord &producer = body_.words[from % size()], &consumer = body_.words[to % size()];
    const std::string_view pipe = pipe_of(producer.instruction.name());
    if (producer.ready == 0) return {scoreboard_distance, by_scoreboard};
    if (producer.times != nullptr && producer.form == consumer.form && reader.operand) {
      const std::vector<int>& stalls = producer.times->stalls;
      const int needed = *reader.operand < stalls.size() ? stalls[*reader.operand] : 0;
      if (needed > 0) return {needed, needed};
    }
    const std::string_view into = pipe_of(consumer.instruction.name());
    const int other = into == "tensor" ? tensor_reader : is_fp64_like(consumer) ? fp64_reader : other_pipe;
    const bool in_vector = std::ranges::all_of(copies_[from].effects.writes,
                                               [](Register reg) { return reg.file == RegisterFile::Vector; });
    const bool late = is_fp64_like(producer) && in_vector;
    const int least = late ? fp64_result : pipe == into && !is_fp64_like(consumer) ? own_pipe : other;
    int cycles = std::max(producer.ready, reader.guards ? for_guards : least);
    const bool plain = (pipe == "alu" || pipe == "fma") && !late && in_vector;
    if (from / size() == to / size()) {
      const int encoded = inside(from % size(), to % size(), cycles);
      cycles = plain ? std::min(cycles, encoded) : encoded;
    }
    return {cycles, cycles};
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

  [[nodiscard]] std::vector<IssueDependence> dependences(int Edge::*cycles) const {
    std::vector<IssueDependence> all;
    for (const auto& [where, edge] : edges_) {
      const auto [from, to, copies] = where;
      all.push_back({from, to, copies, edge.*cycles});
    }
    return all;
  }

  [[nodiscard]] int time(const PeriodicSchedule& schedule, std::size_t i) const {
    return schedule.at[i % size()] + static_cast<int>(i / size()) * schedule.period;
  }

  [[nodiscard]] Order by_time(const PeriodicSchedule& schedule) const {
    Order order;
    order.words.resize(copies_.size());
    std::iota(order.words.begin(), order.words.end(), 0);
    std::ranges::sort(order.words, {}, [&](std::size_t i) { return time(schedule, i); });
    return order;
  }

  /// In the order of the schedule, or of the copies, each word issues as soon as the stall counts and the pipes allow.
  [[nodiscard]] Order in_order_of(const std::optional<PeriodicSchedule>& schedule) const {
    Order order;
    if (schedule) {
      order = by_time(*schedule);
    } else {
      order.words.resize(copies_.size());
      std::iota(order.words.begin(), order.words.end(), 0);
    }
    std::vector<int> issue(copies_.size(), -1);
    std::map<std::string_view, int> free;
    int now = 0;
    for (const std::size_t i : order.words) {
      const BodyWord& word = body_.words[i % size()];
      int& pipe = free[pipe_of(word.instruction.name())];
      now = std::max(now, pipe);
      for (const auto& [where, edge] : edges_) {
        const auto [from, to, copies] = where;
        if (to != i % size() || static_cast<int>(i / size()) < copies) continue;
        const std::size_t earlier = (i / size() - static_cast<std::size_t>(copies)) * size() + from;
        if (issue[earlier] >= 0) now = std::max(now, issue[earlier] + edge.fixed);
      }
      issue[i] = now;
      order.issue.push_back(now);
      pipe = now + busy_cycles(word, chained_);
      ++now;
    }
    return order;
  }

  const Body& body_;
  const std::vector<Copy>& copies_;
  const std::size_t count_;
  const bool chained_;
  std::map<Between, Edge> edges_;
};

}  // namespace

Expected<std::vector<Copy>> scheduled(const Body& body, std::vector<Copy> copies, bool chained) {
  const auto order = WARPCLOCK_TRY(Scheduler(body, copies, chained).order());
  std::vector<std::size_t> position(order.words.size());
  for (std::size_t k = 0; k < order.words.size(); ++k) position[order.words[k]] = k;
  std::vector<Copy> sorted;
  for (std::size_t k = 0; k < order.words.size(); ++k) {
    Copy& copy = sorted.emplace_back(std::move(copies[order.words[k]]));
    for (std::size_t& earlier : copy.after) earlier = position[earlier];
    copy.stall = k + 1 < order.words.size() ? order.issue[k + 1] - order.issue[k] : 1;
  }
  return sorted;
}

}  // namespace warpclock
