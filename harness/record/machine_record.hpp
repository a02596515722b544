#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "base/error.hpp"
#include "base/lookup.hpp"
#include "code/word.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The latency from one source operand to the availability of the result.
struct DependencyLatency {
  int source = 0;                  ///< index of the source operand; 0 is the first
  std::string operand;             ///< as printed: "R5", "[R4.64]"
  std::string through;             ///< the instruction that brings the result to the operand, if any is needed: "SEL"
  double through_cycles = 0;       ///< its stall count, which was subtracted from `cycles`
  std::optional<Estimate> cycles;  ///< slope of the chain over its length, in cycles per instruction

  /// For a fixed latency: the least stall count from which on every chain computes the same as with the largest one.
  std::optional<int> least_right;
  std::vector<int> wrong;               ///< stall counts with which the result differed
  std::optional<int> busy_least_right;  ///< the same while four warps run on each sub-partition
  std::string note;                     ///< why one of these is missing

  bool operator==(const DependencyLatency&) const = default;
};

/// Independent chains of each warp in the windows of an issue interval.
constexpr int issue_chains = 4;

/// The time that a warp instruction occupies a sub-partition in a sequence of independent ones.
struct IssueCell {
  int warps = 1;  ///< of the block; of four or more, each sub-partition has a quarter
  int stall = 1;
  bool yield = false;
  std::vector<std::pair<int, double>> curve;  ///< cycles of the window over the number of instructions of each warp
  double cycles = 0, low = 0, high = 0;       ///< per instruction and sub-partition; 0 if the curve is not linear
  std::string note;

  bool operator==(const IssueCell&) const = default;
};

/// The measurements of one form of a machine instruction.
struct MachineRow {
  std::string key;   ///< key of the form (fields/form_table.hpp): "@PT FFMA R#, R#, R#, R#"
  std::string text;  ///< text of the word
  Word word;
  bool scoreboard = false;     ///< whether a scoreboard signals the result
  std::optional<int> encoded;  ///< the fewest cycles that ptxas leaves before the result is read (fields/form.hpp)
  std::vector<DependencyLatency> latencies;
  std::vector<IssueCell> cells;
  std::optional<Estimate> interval;        ///< cycles between two instructions on one sub-partition, with many warps
  std::vector<std::string> pipes;          ///< on which it executes, from counters: "alu"
  std::map<std::string, double> counters;  ///< what a copy adds to CUPTI metrics
  std::optional<Error> reason;             ///< why there are no measurements

  /// Whether the copies of a cell follow each other as soon as they may: after one cycle, or what a barrier needs.
  [[nodiscard]] bool at_once(const IssueCell& cell) const { return cell.stall == cells.front().stall && !cell.yield; }
  bool operator==(const MachineRow&) const = default;
};

/// How soon one instruction may read the result of another.
struct ProducerConsumer {
  std::string id;                  ///< "dependences/IADD3->FFMA.A"
  std::string producer, consumer;  ///< keys of their forms
  DependencyLatency latency;       ///< through that source operand of the consumer

  bool operator==(const ProducerConsumer&) const = default;
};

/// Independent instructions in straight-line code: several forms in turn, chosen registers, or long code.
struct IssueStudy {
  std::string id;                  ///< "pairs/FFMA+LDS", "banks/FFMA 0 1 0, reuse A"
  std::vector<std::string> forms;  ///< keys; they issue in turn
  std::vector<int> of_each;        ///< instructions of each form in one group; empty: one
  int run = 1;                     ///< instructions of one form in a row
  std::vector<int> banks;          ///< the bank of the register that each source operand reads, where it was chosen
  std::vector<int> reuse;          ///< 1: that operand asks the operand reuse cache to keep it
  bool apart = false;              ///< each form has warps of its own: one issues in half of the warps
  bool first_pass = false;         ///< the code runs once, and no cache of the SM has it yet
  std::vector<IssueCell> cells;    ///< cycles of one of each form, or of one group
  std::optional<Estimate>
      interval;  ///< cycles of one of each form, or of one group, on one sub-partition, with many warps
  std::map<std::string, double> counters;  ///< what one turn adds to hardware counters, for each warp
  std::optional<Error> reason;             ///< why there are no measurements

  bool operator==(const IssueStudy&) const = default;
};

/// machine.json: the measurements of each form of a machine instruction on one GPU.
struct MachineTable {
  Provenance provenance;
  DeviceFacts device;
  std::vector<MachineRow> rows;
  std::vector<ProducerConsumer> dependences;
  std::vector<IssueStudy> pairs;  ///< of two forms; with themselves too
  std::vector<IssueStudy> banks;  ///< of one form, over the banks and the reuse of its source operands
  /// A multiply of a warp group, and another form that follows each multiply `of_each` times.
  std::vector<IssueStudy> with_multiplies;
  std::vector<IssueStudy> between_warps;  ///< of two forms in different warps of a sub-partition
  std::vector<IssueStudy> fetch;          ///< of one form, over the number of instructions in straight-line code

  bool operator==(const MachineTable&) const = default;
};

/// The row of a form; null if there is none.
[[nodiscard]] inline const MachineRow* row_of_form(std::span<const MachineRow> rows, std::string_view key) {
  return find_by(rows, key, &MachineRow::key);
}

/// The numbers of a row: latency.<source>, minimum_stall.<source> of a fixed latency, and interval.
[[nodiscard]] std::vector<Estimate> estimates_of(const MachineRow& row);
[[nodiscard]] std::vector<Estimate> estimates_of(const DependencyLatency& latency);

/// The share of the shorter of two times that is hidden if both together take `both`: 1 if that is the longer one, 0 if
/// it is their sum, less than 0 if it is more.
[[nodiscard]] double hidden_share(double a, double b, double both);

/// Cycles of one instruction of a form on a sub-partition, from the pair of two of them.
[[nodiscard]] std::optional<double> alone_cycles(const MachineTable& table, const std::string& form);

/// What two forms that execute together hide of each other.
struct Overlap {
  double a = 0, b = 0;                     ///< cycles of each alone: of one, or of as many as are in a group
  double hidden = 0, least = 0, most = 0;  ///< the hidden share, and both ends of its interval
};
/// None if one of the three times is missing. Those of a group of several come from the rows of the forms.
[[nodiscard]] std::optional<Overlap> overlap_of(const MachineTable& table, const IssueStudy& study);

/// Whether the share is below 0 or above 1 even at the end of its interval.
[[nodiscard]] bool overlaps_oddly(const MachineTable& table, const IssueStudy& study);

}  // namespace warpclock
