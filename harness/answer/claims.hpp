#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/hits.hpp"
#include "base/error.hpp"
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

/// What others say of GPUs, and what shows whether it is so (assets/claims.yaml).
struct ReportedClaim {
  std::string name, says;
  std::string condition;                       ///< or what is true instead
  std::string command;                         ///< prints the rows
  std::vector<ClaimRow> holds, fails, by_gpu;  ///< as claimed on every GPU, on none, on some
  std::vector<ClaimRow> beside;                ///< not judged
};

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<std::vector<ReportedClaim>> parse_claims(const std::string& file, std::string_view text);

/// The claims that the program carries.
[[nodiscard]] const Expected<std::vector<ReportedClaim>>& known_claims();

/// Where the records say otherwise than the claim's `holds`, `fails` and `by_gpu`, or have no number: a line for each.
[[nodiscard]] std::vector<std::string> contradictions(const ProbeBook& book, const ReportedClaim& claim);

/// docs/claims.md. Verdicts follow from the numbers alone: confirmed if all are as claimed, refuted if none is.
[[nodiscard]] std::string render_claims(const ProbeBook& book, const std::vector<ReportedClaim>& claims);

/// A fact about GPUs, drivers or compilers (assets/findings.yaml).
struct ReportedFinding {
  std::string name, says;         ///< Markdown
  std::vector<std::string> gpus;  ///< on which it was seen, as ProbeBook labels them; empty: it is not about a GPU
  std::vector<ClaimRow> rows;     ///< as claimed on each of these GPUs
  std::string seen;               ///< how it was seen apart from rows; Markdown
  std::vector<std::string> used;  ///< files that depend on it, from the root of the repository
};

struct FindingTopic {
  std::string name;
  std::vector<ReportedFinding> findings;
};

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<std::vector<FindingTopic>> parse_findings(const std::string& file, std::string_view text);

/// The findings that the program carries.
[[nodiscard]] const Expected<std::vector<FindingTopic>>& known_findings();

/// Rows that are not as claimed on a GPU of the finding, or have no number there: a line for each.
[[nodiscard]] std::vector<std::string> contradictions(const ProbeBook& book, const ReportedFinding& finding);

/// docs/findings.md
[[nodiscard]] std::string render_findings(const ProbeBook& book, const std::vector<FindingTopic>& topics);

}  // namespace warpclock
