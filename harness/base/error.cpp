#include "base/error.hpp"

#include <new>
#include <stdexcept>

namespace warpclock {

std::string problem_in(const std::exception& problem) {
  // A text or list of more elements than there can be was to be made of a size that is wrong.
  const bool memory = dynamic_cast<const std::bad_alloc*>(&problem) != nullptr ||
                      dynamic_cast<const std::length_error*>(&problem) != nullptr;
  return memory ? "out of memory: free some, or give it less at once" : problem.what();
}

}  // namespace warpclock
