#include "base/drawing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

/// Whether the straight parts of a way, which are those beside boxes, are free of a box.
bool passes(const Way& way, const Box& box) {
  for (std::size_t i = 1; i < way.size(); i += 2) {
    const double low = std::min(way[i - 1].y, way[i].y), high = std::max(way[i - 1].y, way[i].y), x = way[i].x;
    if (x > box.x && x < box.x + box.width && low < box.y + box.height && high > box.y) return false;
  }
  return true;
}

bool apart(const Box& a, const Box& b) {
  return a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y;
}

/// Nothing covers anything, all is on the sheet, and each edge goes from bottom to top.
void expect_readable(const Drawing& drawing, const std::vector<DirectedEdge>& edges) {
  for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
    const Box& box = drawing.boxes[i];
    EXPECT_GE(box.x, -1e-9);
    EXPECT_GE(box.y, -1e-9);
    EXPECT_LE(box.x + box.width, drawing.width + 1e-9);
    EXPECT_LE(box.y + box.height, drawing.height + 1e-9);
    for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE(apart(box, drawing.boxes[j])) << i << " and " << j;
    for (const Way& way : drawing.ways) EXPECT_TRUE(passes(way, box)) << i;
  }
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Way& way = drawing.ways[e];
    const Box &from = drawing.boxes[edges[e].from], &to = drawing.boxes[edges[e].to];
    EXPECT_EQ(way.front().y, from.y + from.height);
    EXPECT_EQ(way.back().y, to.y);
    EXPECT_EQ(edges[e].back, from.y >= to.y) << e;
    EXPECT_EQ(way.size() % 2, 1U);
  }
}

TEST(Layered, PutsABlockBelowThoseThatLeadToIt) {
  const std::vector<Box> sizes = {{0, 0, 100, 40}, {0, 0, 100, 40}, {0, 0, 60, 20}, {0, 0, 100, 40}};
  const std::vector<DirectedEdge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0, true}, {2, 2, true}};
  const Drawing drawing = draw_in_layers(sizes, edges);
  expect_readable(drawing, edges);
  EXPECT_EQ(drawing.boxes[1].y, drawing.boxes[2].y);
  EXPECT_GT(drawing.boxes[3].y, drawing.boxes[1].y + 40);
}

TEST(Layered, DrawsAnyGraphWithoutAnythingOverAnotherThing) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
  for (int graph = 0; graph < 20; ++graph) {
    std::vector<Box> sizes(2 + below(200));
    for (Box& size : sizes) size = {0, 0, 50 + static_cast<double>(below(400)), 20 + static_cast<double>(below(200))};
    std::vector<DirectedEdge> edges;
    for (std::size_t to = 1; to < sizes.size(); ++to) {
      edges.push_back({below(to), to});
      if (below(2) == 0) edges.push_back({to - 1, to});
      if (below(5) == 0) edges.push_back({to, to, true});
    }
    expect_readable(draw_in_layers(sizes, edges), edges);
  }
}

TEST(Layered, DrawsNothingOfNothing) {
  EXPECT_TRUE(draw_in_layers({}, {}).boxes.empty());
  EXPECT_EQ(draw_in_layers({{0, 0, 10, 5}}, {}).height, 5);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

TEST(Coordinate, HasOneDecimalAtMostAndNoOddities) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.46), "12.5");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(not_a_number), "0");
  EXPECT_EQ(coordinate(1e300), "1000000");
}

TEST(Ticks, ArePowersOfTwoThatCoverTheRange) {
  EXPECT_THAT(binary_ticks(1, 32, 8), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(binary_ticks(3, 5, 8), ElementsAre(2, 4, 8));
  EXPECT_THAT(binary_ticks(not_a_number, 3, 5), ElementsAre(1, 2));
}

}  // namespace
}  // namespace warpclock
