#pragma once

#include <exception>
#include <string>

#include "base/error.hpp"

namespace warpclock {

/// What an exception means to a person. Memory that ran out has a fix; its own words are "std::bad_alloc".
[[nodiscard]] std::string problem_in(const std::exception& problem);

/// What `work` gives, an Expected. An exception becomes an error "exception" with this place. For one of many jobs,
/// which must not end the others: an exception that leaves a thread ends the program.
template <class Work>
[[nodiscard]] auto caught(const std::string& place, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& problem) {
    return fail("exception", problem_in(problem), place);
  }
}

}  // namespace warpclock
