#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fields/form.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Why a difference between two forms does not matter for a number: pairs of rows of one table that differ in nothing
/// else and have the same number. None of the pairs among these opcodes has another one.
struct SamePairs {
  FormChange change;
  std::size_t pairs = 0;
  std::string among;  ///< "ISETP", "pipe alu", "all opcodes"
};

/// A row that answers for a form that has none.
struct NearRow {
  const Row* row = nullptr;
  bool latencies = false, interval = false;  ///< which of its numbers hold for the form
  std::vector<SamePairs> because;            ///< for each difference one, or two by way of a third
};

/// What the rows of one table show about differences between forms.
///
/// Two rows that differ in one thing are a pair. It agrees if all latencies through operands that both have are within
/// 2 % or half a cycle, and disagrees otherwise; likewise the issue intervals, within 3 %. A difference does not matter
/// if at least one pair of the opcode agrees and none disagrees. Without a pair of the opcode, those of the pipe count
/// (three, of two opcodes), then those of all opcodes (eight, of three opcodes). Which operand differs counts, unless
/// the opcode has no such pair. A difference that no pair has does not matter either if neither the difference of one
/// of its sides from a third does, nor that of the third from its other side: |R| as -R, and -R as R.
class RowPairs {
 public:
  /// Rows of forms count. `rows` must outlive this.
  explicit RowPairs(std::span<const Row> rows);
  RowPairs(RowPairs&&) = default;  // pairs point to rows, and a copy would point to those of another

  /// The row that answers for a form: most numbers first, then the fewest differences, then the first of the table.
  /// `without`: as if this row were not in the table. Nothing answers for another fence.
  [[nodiscard]] std::optional<NearRow> near(std::string_view key, const Row* without = nullptr) const;

 private:
  struct Known {
    const Row* row = nullptr;
    FormParts parts;
    std::size_t opcode = 0, pipes = 0;  ///< in opcodes_ and pipes_
  };
  struct Pair {
    FormChange change;
    const Known *one = nullptr, *other = nullptr;
    std::optional<bool> latencies, interval;  ///< whether they agree; nothing if a row has none
  };
  enum class Number { Latencies, Interval };
  /// Which pairs of a change count.
  struct Among {
    std::optional<std::size_t> opcode = {}, pipes = {};
    std::optional<int> operand = {};
  };
  struct Count {
    std::size_t agree = 0, disagree = 0, opcodes = 0;
  };

  /// Of the pairs that differ so; nothing if one disagrees.
  [[nodiscard]] std::optional<SamePairs> support(const FormChange& change, Number number, const Known& row,
                                                 const Row* without) const;
  /// The same, or by way of a third; empty if there is none.
  [[nodiscard]] std::vector<SamePairs> supports(const FormChange& change, Number number, const Known& row,
                                                const Row* without) const;
  /// That row for a form that differs by these changes.
  [[nodiscard]] std::optional<NearRow> by_changes(const Known& row, const std::vector<FormChange>& changes,
                                                  const Row* without) const;
  [[nodiscard]] static Count count(std::span<const Pair> pairs, Number number, const Row* without, const Among& among);
  [[nodiscard]] std::span<const Pair> pairs_of(const FormChange& change) const;

  std::vector<std::string> opcodes_;
  std::vector<std::vector<std::string>> pipes_;
  std::vector<Known> rows_;  ///< with numbers, by opcode
  std::vector<Pair> pairs_;  ///< by change
  /// What pairs have in place of something of that kind.
  std::map<std::pair<FormChange::Kind, std::string>, std::set<std::string>> beside_;
};

/// Whether two numbers of cycles count as one: latencies within 2 % or half a cycle.
[[nodiscard]] bool same_latency(double one, double other);
/// Issue intervals within 3 % or 0.06 cycles.
[[nodiscard]] bool same_interval(double one, double other);

}  // namespace warpclock
