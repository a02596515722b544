#include "ptx/instruction.hpp"

#include <array>
#include <cstddef>

namespace warpclock {

std::string_view ptx_type(RegisterClass file) {
  constexpr std::array<std::string_view, 5> names{"pred", "b16", "b32", "b64", "b128"};
  return names[static_cast<std::size_t>(file)];
}

int bits(RegisterClass file) {
  constexpr std::array<int, 5> sizes{1, 16, 32, 64, 128};
  return sizes[static_cast<std::size_t>(file)];
}

const std::vector<std::string>& value_names() {
  static const std::vector<std::string> names = {"random", "zero", "one",  "denormal", "infinity",
                                                 "nan",    "lane", "bits", "complete", "pending"};
  return names;
}

}  // namespace warpclock
