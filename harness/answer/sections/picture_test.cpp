#include "answer/sections/picture.hpp"

#include <gtest/gtest.h>

#include "answer/words/page_words.hpp"
#include "base/testing/matchers.hpp"
#include "record/testing/memory.hpp"

namespace warpclock {
namespace {

Picture filled(const Record& record) {
  const Expected<Picture>& known = known_picture();
  EXPECT_TRUE(known) << (known ? "" : known.error().message());
  return known ? fill(*known, record) : Picture{};
}

TEST(Picture, HasTheRecordsNumbersAndNoOthers) {
  const std::string text = picture_words(testing::memory_record()).dump();
  EXPECT_THAT(text, AllOf(HasSubstr("\"40.0 cycles\""), HasSubstr("\"128 KiB\""), HasSubstr("\"8000 GB/s\""),
                          HasSubstr("\"1600 GB/s, 78.1 % of the peak\""), HasSubstr("\"100 of them, 2000 MHz\""),
                          HasSubstr("\"probe\":\"memory/chase\"")));
  // memory/shared_chase ran, but its only case is not the one in the drawing. No probe looked for DRAM.
  EXPECT_THAT(text, HasSubstr("not found"));
  EXPECT_THAT(text, Not(HasSubstr("a dependent load that DRAM answers")));
}

TEST(Picture, HasARowForEveryNumberOfAWholeResult) {
  const Expected<Picture>& known = known_picture();
  ASSERT_TRUE(known) << known.error().message();
  const Picture picture = filled(testing::whole_memory_record());
  ASSERT_EQ(picture.levels.size(), known->levels.size());
  const auto all_found = [](const std::vector<PictureRow>& rows, const std::vector<PictureRow>& asked) {
    EXPECT_EQ(rows.size(), asked.size());
    for (const PictureRow& row : rows) EXPECT_TRUE(row.found) << row.quantity->name;
  };
  for (std::size_t i = 0; i < picture.levels.size(); ++i) {
    const PictureLevel &level = picture.levels[i], &asked = known->levels[i];
    all_found(level.link, asked.link);
    ASSERT_EQ(level.boxes.size(), asked.boxes.size());
    for (std::size_t k = 0; k < level.boxes.size(); ++k) all_found(level.boxes[k].rows, asked.boxes[k].rows);
  }
}

TEST(Picture, ToleratesAnUnknownDevice) {
  Record record = testing::memory_record();
  record.device = {};
  EXPECT_THAT(picture_words(record).dump(),
              AllOf(HasSubstr("\"8.0 B/clk/SM\""), Not(HasSubstr("GB/s")), Not(HasSubstr("of them"))));
}

TEST(Picture, IsInTheReportsOfResultsThatHaveIt) {
  Record record = testing::memory_record();
  EXPECT_TRUE(suite_extras(record).contains("picture"));
  EXPECT_THAT(picture_words(record).dump(), HasSubstr("8000 GB/s"));
  record.rows.clear();
  record.features.clear();
  EXPECT_FALSE(filled(record).any());
  EXPECT_FALSE(suite_extras(record).contains("picture"));
}

TEST(Picture, SaysWhereItIsMalformed) {
  const auto quantities =
      parse_quantities("q.yaml", "quantities:\n  - {quantity: l2.size, says: x, from: {device: l2_bytes}}\n");
  ASSERT_TRUE(quantities);
  const auto refused = [&](const std::string& level, const std::string& why) {
    EXPECT_THAT(failure_of(parse_picture("p.yaml", "picture:\n  - " + level + "\n", *quantities)).message(),
                AllOf(HasSubstr("p.yaml:2:"), HasSubstr(why)))
        << level;
  };
  refused("{level: L2, rows: [{label: size, of: l2.sise}]}", "did you mean 'l2.size'?");
  refused("{level: L2}", "rows");
  refused("{level: L2, rows: [{label: size, of: l2.size}], boxes: [{box: x, rows: [{label: a, of: l2.size}]}]}",
          "exclude each other");
  refused("{level: L2, count: gpcs, rows: [{label: size, of: l2.size}]}", "gpcs");
  EXPECT_TRUE(parse_picture("p.yaml", "picture:\n  - {level: L2, rows: [{label: size, of: l2.size}]}\n", *quantities));
}

}  // namespace
}  // namespace warpclock
