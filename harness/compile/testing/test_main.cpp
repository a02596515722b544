#include <gmock/gmock.h>

#include "compile/compiler/compiler.hpp"

// A test program whose tests compile is its own compiler.
int main(int argc, char** argv) {
  if (const auto status = warpclock::compiler_process(argc, argv)) return *status;
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
