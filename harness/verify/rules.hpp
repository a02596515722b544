#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/listing.hpp"
#include "plan/expectation.hpp"
#include "verify/window.hpp"

namespace warpclock {

/// A kernel and what its probe claims about the window, with all numbers of the claim evaluated.
struct Subject {
  const Listing& listing;
  const Expectation& expect;
  const Parameters& parameters;      ///< those of the case, and `n`
  std::int64_t count = 0;            ///< targets in the window
  std::int64_t depth = 0;            ///< targets in the longest chain
  std::vector<std::size_t> reads{};  ///< indices of the clock reads
  std::optional<Window> window{};    ///< between the first and the last clock read; nothing if there are not two
  std::expected<std::vector<std::size_t>, std::string> path{};  ///< of a chain, see find_chain()
};

/// A condition that a window must fulfil to be verified.
struct Rule {
  std::string_view name;      ///< "straight-path"
  std::string_view code;      ///< the verdict's code if the rule is broken; several rules may share one
  std::string_view claim;     ///< what must hold, as a sentence
  std::string_view allows{};  ///< the tolerance and its reason; empty if there is none
  std::string_view guard;     ///< the file in testdata/sabotage/ whose first broken rule is this one
  /// A sentence, on which a reader can act, that says why the window breaks the rule; nothing if it holds.
  std::optional<std::string> (*judge)(const Subject&);
};

/// All rules in the order in which they are judged. A rule may rely on those before it.
[[nodiscard]] std::span<const Rule> rules();

}  // namespace warpclock
