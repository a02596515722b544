// libFuzzer: any bytes as a line of PTX. Built with -DWARPCLOCK_FUZZ=ON and clang++; see cmake/fuzz.cmake.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ptx/testing/described.hpp"
#include "ptx/testing/invariants.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string wrong = warpclock::broken_invariant(text, warpclock::testing_table());
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
