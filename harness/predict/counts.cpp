#include "predict/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "code/word.hpp"

namespace warpclock {
namespace {

/// The cells of a line; a quoted one may hold commas, and two quotes for one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool twice = quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (twice)
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else if (line[i] != '\r')
      cells.back() += line[i];
  }
  return cells;
}

/// "1,024" and "1024".
std::optional<std::int64_t> count_of(std::string text) {
  std::erase(text, ',');
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Expected<std::map<std::int64_t, std::int64_t>> parse_counts(std::string_view csv) {
  std::map<std::int64_t, std::int64_t> counts;
  std::optional<std::size_t> column;
  int number = 0;
  for (const std::string& line : lines(csv)) {
    ++number;
    const std::vector<std::string> cells = cells_of(line);
    if (!column) {
      const auto named = std::ranges::find(cells, "Instructions Executed");
      if (named != cells.end()) column = static_cast<std::size_t>(named - cells.begin());
      continue;
    }
    if (trim(line).empty()) continue;
    const auto count = *column < cells.size() ? count_of(cells[*column]) : std::nullopt;
    // The line below the heads has units.
    if (!count && counts.empty()) continue;
    if (!count) return fail("counts", "there is no number of executed instructions", fmt::format("line {}", number));
    counts.emplace(static_cast<std::int64_t>(counts.size() * word_bytes), *count);
  }
  if (!column) return fail("counts", "there is no column 'Instructions Executed': export by ncu --page source --csv");
  if (counts.empty()) return fail("counts", "there is no instruction below the heads of the columns");
  return counts;
}

}  // namespace warpclock
