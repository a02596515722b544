#include "report/sections/matrix_layout.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <limits>

#include "base/testing/matchers.hpp"
#include "record/testing/committed.hpp"
#include "record/testing/layout.hpp"
#include "report/page/suite_page.hpp"

namespace warpclock {
namespace {

ProbeOutline outline_of(const Record& record) {
  const std::vector<FamilyOutline> families = outline(record);
  return families.front().probes.front();
}

Record record_of(const std::string& probe, std::vector<CaseRecord> rows,
                 FeatureQuery::What what = FeatureQuery::What::Fragment) {
  Record record;
  record.probes = {testing::layout_probe(probe, what)};
  record.cases = std::move(rows);
  return record;
}

MatrixLayout layout_of(const CaseRecord& row, FeatureQuery::What what = FeatureQuery::What::Fragment) {
  const auto layout = matrix_layout(testing::layout_probe(row.probe, what), row);
  EXPECT_TRUE(layout) << row.id;
  return layout.value_or(MatrixLayout{});
}

/// As the page says it: the block that begins with that element: "T17 r2"; for one of several parts "T17 r2.1"; for 16
/// swizzled bytes "L5 u3"; a dash if nothing was found.
std::string layout_text(const MatrixLayout& layout, const LayoutBlock& block, const MatrixLayout::Place& place) {
  if (place.owner < 0) return "\xE2\x80\x93";
  if (layout.swizzle) return fmt::format("L{} u{}", place.owner, place.part);
  const int number = place.part / layout.packed;
  if (block.height * block.width == layout.packed) return fmt::format("T{} r{}", place.owner, number);
  return fmt::format("T{} r{}.{}", place.owner, number, place.part % layout.packed);
}

std::string text_at(const MatrixLayout& layout, int row, int column) {
  return layout_text(layout, layout_block(layout),
                     layout.places.at(static_cast<std::size_t>(row * layout.columns + column)));
}

TEST(MatrixLayout, SaysWhichRegisterOfWhichLaneHoldsAnElement) {
  const MatrixLayout a = layout_of(testing::synthetic_fragment(16, 16, "f16", "f32", "a"));
  EXPECT_EQ(layout_block(a).height, 1);
  EXPECT_EQ(layout_block(a).width, 2);
  EXPECT_EQ(text_at(a, 0, 0), "T0 r0");
  EXPECT_EQ(text_at(a, 9, 4), "T6 r1");
  EXPECT_EQ(text_at(a, 15, 14), "T31 r3");
  const MatrixLayout b = layout_of(testing::synthetic_fragment(16, 32, "s8", "s32", "b"));
  EXPECT_EQ(layout_block(b).height, 4);
  EXPECT_EQ(layout_block(b).width, 1);
  EXPECT_EQ(text_at(b, 20, 3), "T13 r1");
  const MatrixLayout c = layout_of(testing::synthetic_fragment(16, 16, "f16", "f32", "c"));
  EXPECT_EQ(text_at(c, 8, 1), "T0 r3");
  const MatrixLayout half = layout_of(testing::synthetic_fragment(16, 16, "f16", "f16", "c"));
  EXPECT_EQ(text_at(half, 8, 0), "T0 r1");
}

TEST(MatrixLayout, OfARegisterThatIsNoBlockShowsItsParts) {
  CaseRecord row = testing::synthetic_fragment(16, 16, "f16", "f32", "a");
  std::swap(row.places[0], row.places[1]);
  const MatrixLayout layout = layout_of(row);
  EXPECT_EQ(layout_block(layout).width, 1);
  EXPECT_EQ(text_at(layout, 0, 0), "T0 r0.1");
  EXPECT_EQ(text_at(layout, 0, 2), "T1 r0.0");
}

TEST(MatrixLayout, ShowsWhatWasNotFound) {
  CaseRecord row = testing::synthetic_fragment(8, 4, "f64", "f64", "a");
  row.places[5] = 0;
  const MatrixLayout layout = layout_of(row);
  EXPECT_EQ(text_at(layout, 1, 1), "\xE2\x80\x93");
  EXPECT_EQ(text_at(layout, 1, 2), "T6 r0");
}

TEST(MatrixLayout, NeedsFactsThatFitItsPlaces) {
  const CaseRecord good = testing::synthetic_fragment(16, 8, "f16", "f32", "a");
  const ProbeRecord probe = testing::layout_probe(good.probe);
  EXPECT_FALSE(matrix_layout(ProbeRecord{}, good));
  const auto with = [&](const char* fact, double value) {
    CaseRecord row = good;
    row.facts[fact] = value;
    return matrix_layout(probe, row);
  };
  for (const char* fact : {"rows", "columns", "packed"}) {
    for (const double value : {0.0, -1.0, 1.5, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_FALSE(with(fact, value)) << fact << " " << value;
    }
  }
  EXPECT_FALSE(with("columns", 3));
  CaseRecord wild = good;
  wild.places = {-1, 1e300, 4097, 2.5, std::numeric_limits<double>::quiet_NaN(), 1};
  const MatrixLayout layout = layout_of(wild);
  EXPECT_EQ(std::ranges::count_if(layout.places, [](const MatrixLayout::Place& place) { return place.owner >= 0; }), 1);
}

TEST(MatrixLayout, OfASwizzledBoxIsInPiecesOf16Bytes) {
  const CaseRecord row = testing::synthetic_layout(
      "tensor_copy/swizzle_layout", {{"dims", std::int64_t{2}}, {"width", std::int64_t{32}}, {"swizzle", "128B"}});
  const MatrixLayout layout = layout_of(row, FeatureQuery::What::Swizzle);
  EXPECT_EQ(text_at(layout, 0, 5), "L0 u5");
  EXPECT_EQ(text_at(layout, 3, 0), "L3 u3");
  EXPECT_EQ(text_at(layout, 31, 7), "L31 u0");
}

TEST(MatrixLayout, IsSaidOnceForAllCasesThatFoundTheSame) {
  const Record record = record_of("matrix/mma_fragments", {testing::synthetic_fragment(16, 16, "f16", "f32", "a"),
                                                           testing::synthetic_fragment(16, 16, "bf16", "f32", "a"),
                                                           testing::synthetic_fragment(16, 16, "f16", "f32", "b")});
  const ProbeOutline probe = outline_of(record);
  EXPECT_THAT(shared_layouts(probe), SizeIs(2));
  const Json words = probe_words(record, probe);
  ASSERT_EQ(words["layouts"].size(), 2);
  EXPECT_EQ(words["layouts"][0]["ids"].size(), 2);
  EXPECT_FALSE(words.contains("places"));
}

/// Every row of the committed results with a layout has the documented one.
TEST(MatrixLayout, OfCommittedResultsIsWhatThePtxIsaSays) {
  int compared = 0;
  for (const Record& record : testing::committed_results()) {
    for (const CaseRecord& row : record.cases) {
      const auto probe = std::ranges::find(record.probes, row.probe, &ProbeRecord::name);
      if (probe == record.probes.end() || !is_matrix(*probe) || row.places.empty()) continue;
      const auto expected = testing::documented(row);
      ASSERT_TRUE(expected) << row.id << ": say in test_layout.hpp what the PTX ISA has of it";
      EXPECT_EQ(row.places, expected->places()) << row.id;
      ++compared;
    }
  }
  RecordProperty("compared", compared);
}

}  // namespace
}  // namespace warpclock
