#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "answer/ask/probe_book.hpp"
#include "answer/overview/differences.hpp"
#include "base/yaml/yaml_archive.hpp"

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

/// A number that shows something of a claim or a finding: an estimate, or the ratio of two (in the words of
/// second.yaml); else code. Estimates of machine instructions are `interval`, `latency.0` and `minimum_stall.0`, by
/// source operand; those of kernels `cycles` and `cublas`.
struct ClaimRow {
  std::string says;
  SecondMethod numbers;
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
  const Parameters* parameters = nullptr;
};

/// All numbers of one GPU that a row means: ratios if it has a second id, whose parameters in braces are those of the
/// first. Empty if one is missing.
[[nodiscard]] std::vector<ClaimValue> claim_values(const ProbeBook& book, std::size_t gpu, const ClaimRow& row);

enum class ClaimFit { Missing, In, Out, Mixed };

[[nodiscard]] ClaimFit fit_of(const std::vector<ClaimValue>& values, const ClaimLimits& claimed);

/// "1.02 to 1.06x", linked to the row if it is one.
[[nodiscard]] std::string claim_cell(const std::vector<ClaimValue>& values);

/// "1.00 to 1.07", "90 or more"
[[nodiscard]] std::string claim_limits_text(const ClaimRow& row);

}  // namespace warpclock
