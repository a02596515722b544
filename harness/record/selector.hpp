#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/yaml/yaml_archive.hpp"
#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// An end of a range: a number, or the size of L2 that the driver states.
struct RangeEnd {
  double value = 0;
  bool l2 = false;
};

/// A condition on a parameter of a case, a curve or a kernel: one value, or an inclusive range.
struct ParameterRule {
  std::string name;
  std::optional<Value> equals;  ///< "{l2}": that parameter of another row (bound_to())
  RangeEnd low, high;           ///< used if `equals` is empty
};

/// Which numbers of a GPU's records are meant. It is written in YAML, with the same keys in all files
/// (harness/record/README.md).
struct Selector {
  enum class Kind {
    Cases,        ///< an estimate of measured cases
    Half,         ///< half of it: one way of a round trip
    Feature,      ///< what was found on a curve of cases
    Line,         ///< the estimate over bytes: fixed part, cycles per byte, and the misfit of the line
    Reach,        ///< the fewest bytes with which the estimate is at least 90 % of its highest
    Clock,        ///< the SM clock of cases; `window`: only where the kernel measured it while its window ran
    Instruction,  ///< an estimate of a row of instructions.json
    Form,         ///< an estimate of a row of machine.json
    Kernel,       ///< what was measured of the kernels of a study in cases.json
    Device        ///< what the driver states, or follows from that
  };
  enum class Part { Any, Inside, Beyond };
  enum class Take { All, Highest, Lowest, End };  ///< in YAML `range` is All, and End has a key of its own

  Kind kind = Kind::Cases;
  std::string probe;  ///< Instruction, Form: the id of the row; Kernel: the study; Device: empty; `*`: any text
  std::string name;   ///< of the estimate, the feature or the device's fact; empty: any
  std::vector<ParameterRule> with;
  std::string where;                                          ///< features: "L1", "L2", "DRAM", "unnamed"; empty: any
  std::map<std::string, std::pair<double, double>> counters;  ///< cases: inclusive limits
  Part part = Part::Any;                                      ///< features: relative to the size of L2
  Take take = Take::All;
  std::string end_of;  ///< with Take::End: the parameter whose position is meant
  Product over;        ///< Line, Reach: bytes
};

/// Where a selector is written.
struct SelectorKeys {
  std::vector<Selector::Kind> kinds;  ///< those that it may have
  std::string probe = {};             ///< of this probe, so that the map has no key `probe`; empty: it has
  bool of_one_number = false;         ///< without `end`
  bool of_rows = false;               ///< all of its rows are meant: without `take` and `end`
  bool any_number = false;  ///< which number may be left open; of several GPUs, so that no end of a range is l2
};

void describe(YamlArchive& a, Selector& v, const SelectorKeys& keys);

/// One of the numbers that a selector means.
struct Selected {
  double value = 0, low = 0, high = 0;
  std::string unit;                        ///< empty for a position on an axis that is not in bytes
  std::string name;                        ///< the id of its row, or the name of the feature
  SmClock clock;                           ///< measured around its cases: their median, and the lowest and the highest
  std::vector<const Row*> cases;           ///< of a level those in it; of another feature those of its curve
  const Parameters* parameters = nullptr;  ///< of its row, if it is the number of one that has parameters
};

/// What rows of all tables are told apart by.
struct RowName {
  Selector::Kind of = Selector::Kind::Cases;  ///< Cases, Instruction, Form or Kernel
  const std::string& name;                    ///< as Selector::probe
  const Parameters& parameters;
};

[[nodiscard]] RowName row_name(const Row& row);

/// A name in which `*` stands for any text, held against many. Valid as long as its text.
class NamePattern {
 public:
  explicit NamePattern(const std::string& pattern);
  [[nodiscard]] bool fits(const std::string& name) const;

 private:
  const std::string& pattern_;
  bool any_;
};

/// The same of one name.
[[nodiscard]] bool fits_name(const std::string& name, const std::string& pattern);

/// Whether a row is of the selector's probe and parameters, and a measured case within its counters. `bound` are
/// parameters with one value each.
[[nodiscard]] bool means(const Selector& selector, const RowName& row, const DeviceFacts& device,
                         const Parameters& bound = {});
[[nodiscard]] bool means(const Selector& selector, const Row& row, const DeviceFacts& device,
                         const Parameters& bound = {});

/// The measured cases with a verified window that a selector means, in the record's order; of a feature, those of its
/// probe and parameters.
[[nodiscard]] std::vector<const Row*> cases_at(const Record& record, const Selector& selector,
                                               const Parameters& bound = {});

/// The numbers of a selector of cases, of half of them, of features, of clocks or of rows of another table, before one
/// of several is taken. `bound` is of cases.
[[nodiscard]] std::vector<Selected> selected(const Record& record, const Selector& selector,
                                             const Parameters& bound = {});

/// The selector with the parameters of another row where its names and values have them in braces. Nothing if that row
/// lacks one.
[[nodiscard]] std::optional<Selector> bound_to(const Parameters& row, const Selector& selector);

/// The one that is taken of at least one. The highest is the one with the highest lower bound, because the highest
/// value of many is biased upwards.
[[nodiscard]] const Selected& taken(const std::vector<Selected>& all, bool highest);

/// The cases of `rows` that a feature follows from: those of a level, or those between which something ends; else its
/// curve.
[[nodiscard]] std::vector<const Row*> cases_of(const Feature& feature, const std::vector<const Row*>& rows);

/// The median of the clocks around these cases, with the lowest and the highest; of cases without a clock 0.
[[nodiscard]] SmClock clock_of(const std::vector<const Row*>& rows);

}  // namespace warpclock
