#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "answer/ask/probe_book.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "record/selector.hpp"

namespace warpclock {

struct ClaimLimits {
  double low = 0, high = std::numeric_limits<double>::infinity();
};

/// Machine code that shows something of a claim. A test compiles it (claims_code_test.cpp); no record has it.
struct ClaimCode {
  std::string source;  ///< below the folder of probes: "claims/restrict.cu"
  std::string kernel;
  std::string target;  ///< what the file has machine code (sm_80) or PTX (compute_80) for; empty: it is compiled
  std::string has;     ///< an instruction as the disassembler prints it, with `*` for any text
  double times = 0;
};

/// A number that shows something of a claim or a finding: one of the records, or the ratio of two; else code.
struct ClaimRow {
  std::string says;
  std::optional<Selector> of;
  std::optional<Selector> by;  ///< {parameter} is that of the first row
  std::optional<ClaimCode> code;
  ClaimLimits claimed;
};

/// With `claimed` where the row has none of its own; without it, a row has to have its own.
void describe(YamlArchive& a, ClaimRow& v, const std::optional<ClaimLimits>& claimed);
/// `[low, high]`, or `[low]` without an upper end.
[[nodiscard]] ClaimLimits read_claim_limits(const Node& node);

/// A number of one GPU, with the place of its row below the folder of reports.
struct ClaimValue {
  double value = 0;
  std::string unit, link;
};

/// The numbers of one GPU that a selector means, in the record that has them.
[[nodiscard]] std::vector<Selected> selected(const ProbeBook& book, std::size_t gpu, const Selector& selector);

/// All numbers of one GPU that a row means: ratios if it has a second selector. Empty if one is missing.
[[nodiscard]] std::vector<ClaimValue> claim_values(const ProbeBook& book, std::size_t gpu, const ClaimRow& row);

enum class ClaimFit { Missing, In, Out, Mixed };

[[nodiscard]] ClaimFit fit_of(const std::vector<ClaimValue>& values, const ClaimLimits& claimed);

/// "1.02 to 1.06x", linked to the row if it is one.
[[nodiscard]] std::string claim_cell(const std::vector<ClaimValue>& values);

/// "1.00 to 1.07", "90 or more"
[[nodiscard]] std::string claim_limits_text(const ClaimRow& row);

}  // namespace warpclock
