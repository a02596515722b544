// libFuzzer: any bytes as a launch and as the instructions of a kernel. Built with -DWARPCLOCK_FUZZ=ON and clang++; see
// cmake/fuzz.cmake.
#include <cstdint>
#include <cstdlib>

#include "execute/testing/hostile_run.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (!warpclock::testing::hostile_run({reinterpret_cast<const char*>(data), size}).empty()) std::abort();
  return 0;
}
