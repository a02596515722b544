#include "record/repeats.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace warpclock {
namespace {

/// Numbers for lines: equal lines have equal numbers, which are cheap to compare.
std::vector<std::size_t> numbered(std::span<const std::string> lines) {
  std::map<std::string_view, std::size_t> known;
  std::vector<std::size_t> out;
  for (const std::string& line : lines) {
    out.push_back(known.try_emplace(line, known.size()).first->second);
  }
  return out;
}

std::size_t copies(std::span<const std::size_t> lines, std::size_t length) {
  std::size_t same = length;
  while (same < lines.size() && lines[same] == lines[same - length]) ++same;
  return same / length;
}

}  // namespace

std::vector<Repeat> find_repeats(std::span<const std::string> lines) {
  const std::vector<std::size_t> all = numbered(lines);
  std::vector<Repeat> out;
  for (std::size_t at = 0; at < all.size();) {
    const auto rest = std::span(all).subspan(at);
    Repeat best{at, 1, 1};
    for (std::size_t length = 1; length <= std::min(longest_body, rest.size() / 2); ++length) {
      const std::size_t count = copies(rest, length);
      if ((count - 1) * length > (best.count - 1) * best.length) best = {at, length, count};
    }
    const bool plain = best.count == 1 && !out.empty() && out.back().count == 1;
    if (plain) {
      ++out.back().length;
    } else {
      out.push_back(best);
    }
    at += best.length * best.count;
  }
  return out;
}

}  // namespace warpclock
