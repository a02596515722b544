#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/file.hpp"
#include "base/process.hpp"
#include "base/testing/files.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

TEST(Schema, OfConfigsIsTheCommittedFile) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/configs/schema.json";
  const auto printed = must(run_process({WARPCLOCK_PROGRAM, "schema", "configs"}));
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(path, printed.out);
  EXPECT_EQ(printed.out, must(read_file(path))) << "WARPCLOCK_ACCEPT=1 writes it";
}

}  // namespace
}  // namespace warpclock
