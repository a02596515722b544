#include "record/near_row.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {
namespace {

/// Differences between a form and the row that answers for it.
constexpr std::size_t most_changes = 5;

bool is_within(double one, double other, double share, double cycles) {
  return std::abs(one - other) <= std::max(cycles, share * std::max(one, other));
}

bool is_latency(const Estimate& one) { return one.name.starts_with("latency."); }

bool has_latency(const Row& row) { return std::ranges::any_of(row.estimates, is_latency); }

std::optional<bool> latencies_agree(const Row& one, const Row& other) {
  std::optional<bool> agree;
  for (const Estimate& a : one.estimates) {
    const Estimate* b = is_latency(a) ? estimate_in(other, a.name) : nullptr;
    if (b != nullptr) agree = agree.value_or(true) && same_latency(a.value, b->value);
  }
  return agree;
}

std::optional<bool> intervals_agree(const Row& one, const Row& other) {
  const Estimate *a = estimate_in(one, "interval"), *b = estimate_in(other, "interval");
  if (a == nullptr || b == nullptr) return std::nullopt;
  return same_interval(a->value, b->value);
}

FormChange change_to(const FormChange& like, const std::string& one, const std::string& other) {
  return {like.kind, std::min(one, other), std::max(one, other), like.operand};
}

/// All changes of one kind from and to the same, whatever the operand, are next to each other.
auto sorted_by(const FormChange& change) { return std::tie(change.kind, change.one, change.other); }

}  // namespace

bool same_latency(double one, double other) { return is_within(one, other, 0.02, 0.5); }
bool same_interval(double one, double other) { return is_within(one, other, 0.03, 0.06); }

RowPairs::RowPairs(std::span<const Row> rows) {
  for (const Row& row : rows) {
    if (row.kind != RowKind::Form || (!has_latency(row) && estimate_in(row, "interval") == nullptr)) continue;
    Known& added = rows_.emplace_back(Known{&row, parts_of(row.id), 0, 0});
    added.opcode = index_or_add(opcodes_, added.parts.opcode);
    added.pipes = index_or_add(pipes_, row.pipes);
  }
  const auto group = [](const Known& row) { return std::pair(row.opcode, row.parts.operands.size()); };
  std::ranges::stable_sort(rows_, {}, group);
  for (auto one = rows_.begin(); one != rows_.end(); ++one) {
    for (auto other = one + 1; other != rows_.end() && group(*other) == group(*one); ++other) {
      const auto ways = changes_between(one->parts, other->parts, 1);
      if (ways.empty() || ways.front().empty()) continue;
      pairs_.push_back({ways.front().front(), &*one, &*other, latencies_agree(*one->row, *other->row),
                        intervals_agree(*one->row, *other->row)});
    }
  }
  for (const auto& [change, one, other, latencies, interval] : pairs_) {
    beside_[{change.kind, change.one}].insert(change.other);
    beside_[{change.kind, change.other}].insert(change.one);
  }
  // Rows are in the order of their opcodes, and so are the pairs of a change.
  std::ranges::stable_sort(pairs_, {}, [](const Pair& pair) { return sorted_by(pair.change); });
}

std::span<const RowPairs::Pair> RowPairs::pairs_of(const FormChange& change) const {
  const auto found =
      std::ranges::equal_range(pairs_, sorted_by(change), {}, [](const Pair& pair) { return sorted_by(pair.change); });
  return {found.begin(), found.end()};
}

RowPairs::Count RowPairs::count(std::span<const Pair> pairs, Number number, const Row* without, const Among& among) {
  Count count;
  std::optional<std::size_t> last;
  for (const Pair& pair : pairs) {
    const auto& agree = number == Number::Latencies ? pair.latencies : pair.interval;
    if (!agree || pair.one->row == without || pair.other->row == without) continue;
    if (among.opcode && pair.one->opcode != *among.opcode) continue;
    if (among.pipes && pair.one->pipes != *among.pipes) continue;
    if (among.operand && pair.change.operand != *among.operand) continue;
    ++(*agree ? count.agree : count.disagree);
    if (*agree && last != pair.one->opcode) ++count.opcodes;
    if (*agree) last = pair.one->opcode;
  }
  return count;
}

std::optional<SamePairs> RowPairs::support(const FormChange& change, Number number, const Known& row,
                                           const Row* without) const {
  struct Level {
    Among among;
    std::size_t pairs, opcodes;  ///< as many are needed
    std::string name;
  };
  const std::string& opcode = opcodes_[row.opcode];
  std::vector<Level> levels{{{.opcode = row.opcode, .operand = change.operand}, 1, 1, opcode},
                            {{.opcode = row.opcode}, 1, 1, opcode}};
  if (!pipes_[row.pipes].empty())
    levels.push_back({{.pipes = row.pipes}, 3, 2, "pipe " + join(pipes_[row.pipes], " and ")});
  levels.push_back({{}, 8, 3, "all opcodes"});
  const auto pairs = pairs_of(change);
  for (const Level& level : levels) {
    const Count found = count(pairs, number, without, level.among);
    if (found.disagree > 0) return std::nullopt;
    if (found.agree >= level.pairs && found.opcodes >= level.opcodes) return SamePairs{change, found.agree, level.name};
  }
  return std::nullopt;
}

std::vector<SamePairs> RowPairs::supports(const FormChange& change, Number number, const Known& row,
                                          const Row* without) const {
  if (const auto direct = support(change, number, row, without)) return {*direct};
  if (count(pairs_of(change), number, without, {}).disagree > 0) return {};
  const auto thirds = beside_.find({change.kind, change.one});
  if (thirds == beside_.end()) return {};
  for (const std::string& third : thirds->second) {
    const auto to = support(change_to(change, change.one, third), number, row, without);
    const auto from = to ? support(change_to(change, third, change.other), number, row, without) : std::nullopt;
    if (from) return {*to, *from};
  }
  return {};
}

std::optional<NearRow> RowPairs::by_changes(const Known& row, const std::vector<FormChange>& changes,
                                            const Row* without) const {
  NearRow near{row.row, has_latency(*row.row), estimate_in(*row.row, "interval") != nullptr, {}};
  for (const FormChange& change : changes) {
    const auto by_latency =
        near.latencies ? supports(change, Number::Latencies, row, without) : std::vector<SamePairs>();
    const auto by_interval =
        near.interval ? supports(change, Number::Interval, row, without) : std::vector<SamePairs>();
    near.latencies = !by_latency.empty();
    near.interval = !by_interval.empty();
    if (!near.latencies && !near.interval) return std::nullopt;
    std::ranges::copy(near.latencies ? by_latency : by_interval, std::back_inserter(near.because));
  }
  return near;
}

std::optional<NearRow> RowPairs::near(std::string_view key, const Row* without) const {
  const FormParts asked = parts_of(key);
  // Its modifiers say how far a fence reaches, and that is all that decides its time.
  if (asked.opcode == "MEMBAR") return std::nullopt;
  struct Candidate {
    const Known* row;
    std::vector<FormChange> changes;
  };
  std::vector<Candidate> candidates;
  for (const Known& row : rows_) {
    if (row.row == without || row.parts.opcode != asked.opcode) continue;
    for (auto& way : changes_between(asked, row.parts, most_changes)) candidates.push_back({&row, std::move(way)});
  }
  std::ranges::stable_sort(candidates, {}, [](const Candidate& one) { return one.changes.size(); });
  std::optional<NearRow> best;
  for (const Candidate& one : candidates) {
    auto near = by_changes(*one.row, one.changes, without);
    if (!near) continue;
    if (near->latencies && near->interval) return near;
    if (!best) best = std::move(near);
  }
  return best;
}

}  // namespace warpclock
