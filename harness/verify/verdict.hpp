#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "plan/probe.hpp"

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

/// How a verdict names an instruction: "'SHFL.BFLY PT, R4, R2, R3, 0x1f' at 0x0110".
[[nodiscard]] std::string cite(const Listing& listing, std::size_t index);

/// "@!P0 BRA `(.L_x_1)".
[[nodiscard]] std::string code_of(const Instruction& instruction);

/// "0 times", "once", "twice", "64 times".
[[nodiscard]] std::string times(long long count);

/// The window as a table for a person, including both clock reads. Columns: address, stall count, yield, the
/// scoreboards that are set when the result is written (W) and when the sources are read (R), the scoreboards waited
/// for, SASS. Empty if the listing has no window.
[[nodiscard]] std::string show_window(const Listing& listing, const Verdict& verdict);

}  // namespace warpclock
