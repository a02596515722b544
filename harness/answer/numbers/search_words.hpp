#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "answer/numbers/quantity.hpp"
#include "base/error.hpp"

namespace warpclock {

/// What people ask for by words, and where its number is.
struct Topic {
  std::vector<std::string> words;           ///< phrases; one of them is in the question
  std::vector<Answer> says;                 ///< numbers of probes; labels may name parameters in braces
  std::vector<const Quantity*> quantities;  ///< numbers of quantities.yaml
  std::vector<Selector> rows;               ///< of instructions, forms and kernels: their main numbers
  std::string absent;                       ///< why there is no number
  std::string note, command;                ///< what to beware of; what prints more, if not the rows
};

/// search.yaml.
struct SearchWords {
  std::vector<Topic> topics;
  std::set<std::string> fillers;                  ///< words that a question has and that say nothing
  std::map<std::string, std::string> parameters;  ///< "way" -> "at"
  std::map<std::string, std::string> values;      ///< "fp16" -> "f16"
  std::set<std::string> rates, times;             ///< words that ask for a rate, or for a time
  std::set<std::string> gpus;                     ///< names of GPUs
  /// For the search of pages: "smem" -> "shared chase", "shared"; texts that mean the same, best first.
  std::vector<std::pair<std::string, std::vector<std::string>>> near;
};

/// The text is foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<SearchWords> parse_search_words(const std::string& file, std::string_view text,
                                                       const Quantities& quantities);

/// The words that the program carries.
[[nodiscard]] const Expected<SearchWords>& known_search_words();

}  // namespace warpclock
