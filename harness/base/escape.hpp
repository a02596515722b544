#pragma once

#include <string>
#include <string_view>

namespace warpclock {

/// `text` as the content of an element or of a quoted attribute, in HTML and in XML: the five special characters become
/// references, control characters visible pictures, and bytes that are not UTF-8, or code points that XML forbids or
/// that reorder the text around them (bidirectional overrides), U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

/// Markup whose scripts and styles are ASCII, with a reference for each other character of its UTF-8. Chromium holds a
/// page at two bytes a character from the first one past U+00FF on, and reads it in twice the time.
[[nodiscard]] std::string ascii_markup(std::string_view markup);

/// A case id as an HTML id and URL fragment: letters, digits and the punctuation of ordinary ids stay, every other byte
/// becomes `~` and two hex digits, so that no two ids share an anchor.
[[nodiscard]] std::string anchor(std::string_view id);

/// As a part of a URL: blanks and all else that is not a letter, a digit or one of `-_./` in percent form.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace warpclock
