#include "answer/roofline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/marked.hpp"
#include "base/testing/matchers.hpp"
#include "model/testing/measured.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/xml_check.hpp"

namespace warpclock {
namespace {

std::string drawn(const Machine& machine) {
  return draw_roofline(machine, ceilings(machine, known_model_config().value()));
}

TEST(RooflineSvg, IsTheAcceptedText) {
  const std::string svg = drawn(testing::cut_machine());
  testing::expect_golden("roofline.svg", svg, "answer");
  EXPECT_TRUE(is_marked(svg));
}

TEST(RooflineSvg, HasEachCeilingWithItsRow) {
  const Machine machine = testing::cut_machine();
  const std::string svg = drawn(machine);
  EXPECT_EQ(testing::xml_error(svg), "");
  const auto all = ceilings(machine, known_model_config().value());
  EXPECT_GE(all.size(), 6U);
  for (const Ceiling& ceiling : all) {
    EXPECT_THAT(svg, HasSubstr(">" + ceiling.name + ", " + fmt::format("{:.4g} ", ceiling.height())));
    EXPECT_THAT(svg, HasSubstr(ceiling.leaf->rows.front()));
  }
}

TEST(RooflineSvg, IsWellFormedWhateverTheTexts) {
  Machine machine = testing::cut_machine();
  machine.gpu = "<script>\"'&";
  for (Entry& entry : machine.transfers) {
    for (Leaf& leaf : entry.leaves) leaf.rows = {"]]>--><b>"}, leaf.unit = "<i>";
  }
  EXPECT_EQ(testing::xml_error(drawn(machine)), "");
}

TEST(RooflineSvg, IsEmptyWithoutALevelOrAPipe) {
  Machine machine = testing::cut_machine();
  machine.transfers.clear();
  EXPECT_EQ(drawn(machine), "");
}

}  // namespace
}  // namespace warpclock
