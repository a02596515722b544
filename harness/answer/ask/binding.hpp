#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "answer/ask/asked_words.hpp"
#include "answer/ask/probe_book.hpp"

namespace warpclock {

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
