#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace warpclock {

/// The words that configs, records and reports use for an enumeration, in the order of its enumerators.
template <class Enum>
inline constexpr auto enum_words = nullptr;

template <class Enum>
concept Worded = requires {
  enum_words<Enum>.size();
};

template <Worded Enum>
[[nodiscard]] constexpr std::string_view word(Enum value) {
  return enum_words<Enum>.at(static_cast<std::size_t>(value));
}

/// ASCII only, independent of the locale.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number of this type that the text begins with: of an integer only digits, after a minus sign if the type has
/// one.
template <class T>
[[nodiscard]] std::optional<T> leading_number(std::string_view text) {
  T value = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The whole text as such a number; of an integer also in another base.
template <class T, class... Base>
[[nodiscard]] std::optional<T> whole_number(std::string_view text, Base... base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Only digits: "64", or in hexadecimal "0x40".
[[nodiscard]] std::optional<std::int64_t> decimal_or_hex(std::string_view text);

/// The pieces between separators; "a,,b" has three, "" has one empty piece.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// The lines of a text without their ends ("\n" or "\r\n"). An unterminated last line counts if it is not empty.
[[nodiscard]] std::vector<std::string> lines(std::string_view text);

/// The text without blanks, tabs and line ends on either side.
[[nodiscard]] std::string_view trim(std::string_view text);

[[nodiscard]] std::string join(std::span<const std::string> pieces, std::string_view separator);

/// "a, b, 3 more": the first `most`, and how many there are besides.
[[nodiscard]] std::string join_first(std::span<const std::string> pieces, std::size_t most);

/// ASCII only.
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);

/// Replaces every occurrence of `from` (not empty) by `to`. The inserted text is not searched again.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other
/// (optimal string alignment distance).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that a mistyped word most likely meant: the nearest one, or the first of several. None if more than a
/// third of the word (at least one letter) would have to change. Case is ignored.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// " (did you mean 'cg'?)", or empty if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// In powers of 1024 with at most one decimal: "512 B", "4 KiB", "1.5 MiB", "60 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// "0.42 s", "12.3 s", "2 min 05 s", "1 h 02 min".
[[nodiscard]] std::string human_duration(double seconds);

/// Rounded to `digits` significant digits, without exponent between 1e-4 and 1e15, without trailing zeros: 4.0701 ->
/// "4.07", 675.42 -> "675", 0.001234 -> "0.00123" (3 digits). Digits before the point are never dropped.
[[nodiscard]] std::string human_number(double value, int digits = 3);

/// " (did you mean 'cg'?)", or the list of the candidates, or nothing. It is appended to "unknown value 'cgg'".
[[nodiscard]] std::string hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace warpclock
