#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpclock {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::optional<std::int64_t> decimal_or_hex(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const auto value = whole_number<std::int64_t>(text, hex ? 16 : 10);
  return value >= 0 ? value : std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> found = split(text, '\n');
  if (found.back().empty()) found.pop_back();
  for (std::string& line : found) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return found;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string join(std::span<const std::string> pieces, std::string_view separator) {
  return fmt::format("{}", fmt::join(pieces, separator));
}

std::string join_first(std::span<const std::string> pieces, std::size_t most) {
  std::string text = join(pieces.first(std::min(most, pieces.size())), ", ");
  if (pieces.size() > most) text += fmt::format(", {} more", pieces.size() - most);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), upper);
  return out;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at = text.find(from); at != std::string_view::npos && !from.empty(); at = text.find(from)) {
    out += text.substr(0, at);
    out += to;
    text.remove_prefix(at + from.size());
  }
  out += text;
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  // Foreign input: a word of megabytes is no misspelling, and the distance takes quadratic time.
  constexpr std::size_t longest = 100;
  if (word.size() > longest) return std::nullopt;
  const std::string small_word = to_lower(word);
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(small_word, to_lower(candidate));
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::optional<std::string> meant = nearest(word, candidates);
  return meant ? fmt::format(" (did you mean '{}'?)", *meant) : "";
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.95 would print as "1024": it belongs to the next unit.
  while (value >= (unit == 0 ? 1024.0 : 1023.95) && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", without_trailing_zeros(fmt::format("{:.1f}", value)), units[unit]);
}

std::string human_duration(double seconds) {
  if (!(seconds >= 0)) return "?";
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_number(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e15) return fmt::format("{:.{}g}", value, digits);
  // The exponent after rounding: 9.996 at three digits is 10.0, which has one decimal fewer.
  const std::string rounded = fmt::format("{:.{}e}", size, std::max(0, digits - 1));
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  return without_trailing_zeros(fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent)));
}

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
