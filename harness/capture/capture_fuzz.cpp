// libFuzzer: any bytes as what the processes of a capture saw, and as the kernel that they launched. Built with
// -DWARPCLOCK_FUZZ=ON and clang++; see cmake/fuzz.cmake.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "capture/testing/hostile_capture.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = warpclock::testing::hostile_capture({reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
