#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace warpclock::testing {

/// Expects `text` to equal harness/<folder>/testdata/<name> byte for byte. WARPCLOCK_ACCEPT=1 in the environment writes
/// the file instead.
inline void expect_golden(const std::string& name, const std::string& text, const std::string& folder = "report") {
  const std::string path = std::string(WARPCLOCK_SOURCE_DIR) + "/harness/" + folder + "/testdata/" + name;
  const char* accept = std::getenv("WARPCLOCK_ACCEPT");
  if (accept && std::string(accept) == "1") {
    std::ofstream out(path, std::ios::binary);
    out << text;
    ASSERT_TRUE(out.good()) << path;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; WARPCLOCK_ACCEPT=1 writes it";
  const std::string expected(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(text, expected) << "WARPCLOCK_ACCEPT=1 accepts the new text as " << path;
}

}  // namespace warpclock::testing
