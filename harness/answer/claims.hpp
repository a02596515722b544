#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/probe_book.hpp"
#include "answer/overview/differences.hpp"
#include "base/error.hpp"

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

/// A number that shows something of a claim: an estimate, or the ratio of two (in the words of second.yaml); else code.
struct ClaimRow {
  std::string says;
  SecondMethod numbers;
  std::optional<ClaimCode> code;
  ClaimLimits claimed;
};

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
