#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "answer/numbers/search_words.hpp"

namespace warpclock {

/// A word of a question.
struct AskedWord {
  std::string given;  ///< as it was written: "IMAD"
  std::string text;   ///< in lower case, without the s of a plural: "conflict"
  double weight = 1;  ///< 0: it says nothing
};

/// What a person asks, as words.
struct AskedWords {
  std::vector<AskedWord> words;
  bool rate = false, time = false;  ///< whether it asks for a rate, or for a time

  [[nodiscard]] double weight() const;
  /// Of the words at these places.
  [[nodiscard]] double weight(const std::set<std::size_t>& places) const;
};

/// Splits at blanks, commas, brackets, slashes and hyphens; names with dots, underscores and colons stay whole.
[[nodiscard]] AskedWords asked_words(std::string_view text, const SearchWords& known);

/// The places of the words of a phrase in the question; none unless it has all of them.
[[nodiscard]] std::set<std::size_t> places_of(std::string_view phrase, const AskedWords& question,
                                              const SearchWords& known);

}  // namespace warpclock
