#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/probe_book.hpp"
#include "answer/claim_rows.hpp"
#include "base/error.hpp"

namespace warpclock {

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
