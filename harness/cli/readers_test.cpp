#include "cli/testing/readers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

#include "base/files/file.hpp"
#include "base/testing/chaos.hpp"
#include "base/testing/matchers.hpp"
#include "base/testing/mutator.hpp"

// What readers_fuzz tries for hours, and what it ever found: harness/cli/testdata/readers.

namespace warpclock {
namespace {

std::filesystem::path folder_of(const testing::Reader& reader) {
  return std::filesystem::path(WARPCLOCK_SOURCE_DIR "/harness/cli/testdata/readers") / reader.name;
}

std::string right(const testing::Reader& reader) { return must(read_file(folder_of(reader) / "right")); }

TEST(Readers, TakeWhatIsRight) {
  for (const testing::Reader& reader : testing::readers) {
    const testing::Reading reading = reader.read(right(reader));
    EXPECT_TRUE(reading.taken) << reader.name;
    EXPECT_EQ(reading.wrong, "") << reader.name;
  }
}

TEST(Readers, HoldWhateverTheyRead) {
  constexpr std::array<std::string_view, 18> words = {"[",
                                                      "]",
                                                      "{",
                                                      "}",
                                                      "\"",
                                                      ":",
                                                      ",",
                                                      "-1",
                                                      "1e999",
                                                      "NaN",
                                                      "4294967296",
                                                      "9223372036854775807",
                                                      "null",
                                                      "&a [*a]",
                                                      "- ",
                                                      "\n",
                                                      std::string_view("\0", 1),
                                                      "\xff\xff"};
  testing::Chaos chaos(200);
  testing::Mutator mutator(words, static_cast<unsigned>(chaos.below(1U << 30U)));
  std::size_t taken = 0;
  for (const testing::Reader& reader : testing::readers) {
    const std::string text = right(reader);
    for (std::size_t i = 0; i < chaos.cases(); ++i) {
      const std::string mutated = mutator.mutate(text);
      const testing::Reading reading = reader.read(mutated);
      taken += reading.taken ? 1 : 0;
      ASSERT_EQ(reading.wrong, "") << reader.name << ": " << mutated;
    }
  }
  EXPECT_GT(taken, 0U) << "some changes matter to nobody";
  EXPECT_LT(taken, std::size(testing::readers) * chaos.cases());
}

TEST(Readers, HoldWhatOnceBrokeThem) {
  for (const testing::Reader& reader : testing::readers)
    for (const auto& file : std::filesystem::directory_iterator(folder_of(reader)))
      EXPECT_EQ(reader.read(must(read_file(file.path()))).wrong, "") << file.path();
}

}  // namespace
}  // namespace warpclock
