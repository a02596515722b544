#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/probe_book.hpp"
#include "answer/claim_rows.hpp"
#include "base/error.hpp"

namespace warpclock {

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

}  // namespace warpclock
