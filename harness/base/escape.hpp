#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpclock {

/// `text` as the content of an element or of a quoted attribute, in HTML and in XML. The five special characters become
/// references and control characters visible symbols. Bytes that are not UTF-8, and code points that XML forbids or
/// that reorder the text around them (bidirectional overrides), become U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// Offset of the first byte of `text` that is not part of a well-formed UTF-8 sequence (RFC 3629: no overlong forms, no
/// surrogates, nothing past U+10FFFF).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Replaces each character outside ASCII by a reference; scripts and styles in the markup must be ASCII. Chromium
/// stores a page with any character above U+00FF at two bytes per character, and takes twice as long to read it.
[[nodiscard]] std::string ascii_markup(std::string_view markup);

/// `text` as a terminal may get it, on one line: line ends and tabs become blanks, other control characters, bytes that
/// are not UTF-8 and bidirectional overrides become "\x1b". Of more than `most` bytes the rest becomes "...".
[[nodiscard]] std::string one_line(std::string_view text, std::size_t most = 120);

/// The same for a message of several lines: line ends stay.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 2000);

/// A case id as an HTML id and URL fragment. Letters, digits and the punctuation of ordinary ids are kept; every other
/// byte becomes `~` and two hex digits, so that no two ids share an anchor.
[[nodiscard]] std::string anchor(std::string_view id);

/// As a part of a URL: every character that is not a letter, a digit or one of `-_./` is percent-encoded.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace warpclock
