#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"
#include "plan/probe.hpp"
#include "verify/window.hpp"

namespace warpclock {

/// A kernel and what its probe claims about the window, with every number of the claim evaluated.
struct Claim {
  const Listing& listing;
  const Expectation& expect;
  const Parameters& parameters;      ///< those of the case, and `n`
  std::int64_t count = 0;            ///< targets in the window
  std::int64_t depth = 0;            ///< targets in the longest chain
  std::vector<std::size_t> reads{};  ///< indices of the clock reads
  std::optional<Window> window{};    ///< between the first and the last read; there where the clock is read twice
  /// The chain, as find_chain() gives it: kept by the rule that looks for it.
  mutable std::optional<std::vector<std::size_t>> path{};
};

/// One thing that must hold for a window to be verified.
struct Rule {
  std::string_view name;      ///< "straight-path"
  std::string_view code;      ///< of the verdict when it is broken; several rules may share one
  std::string_view claim;     ///< what must hold, as a sentence
  std::string_view allows{};  ///< the tolerance and its reason; empty where there is none
  std::string_view guard;     ///< the file of testdata/sabotage/ whose first broken rule is this one
  /// Why the window breaks it, as a sentence that a reader can act on; nothing where it holds.
  std::optional<std::string> (*judge)(const Claim&);
};

/// All rules in the order in which they are judged: each may rely on those before it.
[[nodiscard]] std::span<const Rule> rules();

}  // namespace warpclock
