#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/probe_book.hpp"
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

/// The parameters that a question names, in the place of an answer.
struct Binding {
  Answer answer;                 ///< its conditions are those of the question, then those of its own that leave rows
  std::set<std::size_t> places;  ///< of the words that name a parameter
  std::vector<std::string> no_rows;  ///< "warps is 1, 2, 4": of parameters that are named with a value that no row has
};

/// Words that name a parameter and its value, "8 warps", "warps=8", "16 KiB", "m64n128k16", or a value alone, "f16", in
/// the rows of the answer's probe. A condition of the answer itself gives way if no row has it and those of the
/// question. The words at `taken` name something else.
[[nodiscard]] Binding bound_answer(const Answer& answer, const std::vector<ProbePlace>& places,
                                   const AskedWords& question, const std::set<std::size_t>& taken,
                                   const SearchWords& known);

}  // namespace warpclock
