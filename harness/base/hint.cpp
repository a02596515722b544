#include "base/hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"

namespace warpclock {

std::string hint(std::string_view word, const std::vector<std::string>& candidates) {
  // A word of megabytes is no misspelling, and the distance takes time and memory that grow with its length.
  constexpr std::size_t longest = 200;
  constexpr std::size_t listed = 16;
  std::string near = word.size() > longest ? "" : did_you_mean(word, candidates);
  if (!near.empty() || candidates.empty()) return near;
  const std::size_t shown = std::min(candidates.size(), listed);
  return fmt::format(" (one of {}{})", join(std::span(candidates).first(shown), ", "),
                     candidates.size() > listed ? ", ..." : "");
}

}  // namespace warpclock
