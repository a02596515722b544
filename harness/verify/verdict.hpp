#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "plan/expectation.hpp"

namespace warpclock {

/// The code of a window that breaks no rule.
inline constexpr std::string_view verified_code = "verified";

/// The rule that a window breaks: a code of Verdict, and one sentence for the user.
struct Rejection {
  std::string code, text;
};

/// Whether a kernel's window is what the probe claims.
struct Verdict {
  std::string code{verified_code};  ///< or the code of the first rule that it breaks (verify/rules.cpp)
  std::string_view rule;            ///< the name of that rule; empty if verified
  std::string text;                 ///< a sentence on which the reader can act; empty if verified
  std::vector<std::pair<std::string, int>> opcodes;  ///< full opcode names in the window with their counts, sorted
  std::size_t open = 0, close = 0;                   ///< indices of the clock reads in the listing
  std::optional<double> encoded_cycles;              ///< per repeat, for fixed-latency targets in a chain
  std::string sass_hash;                             ///< of the window's encodings, 32 hex digits

  [[nodiscard]] bool verified() const { return code == verified_code; }
};

/// Judges the window of `listing` for repeat count `n`. Pure: the same listing gives the same verdict.
[[nodiscard]] Verdict verify(const Listing& listing, const Expectation& expect, const Parameters& parameters,
                             std::int64_t n);

}  // namespace warpclock
