#include "report/charts/chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/testing/matchers.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/xml_check.hpp"
#include "report/charts/svg.hpp"

namespace warpclock {
namespace {

using ::testing::Ge;
using ::testing::Le;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

ChartPoint point(double x, double y, double half = 0) { return {x, y, y - half, y + half, "probe[x=1]", "a tooltip"}; }

LineChart example_lines() {
  LineChart chart{"c0-0",
                  "shuffle/throughput: throughput over warps",
                  "The table below holds every value.",
                  "warps",
                  "throughput, 1/clk/SM",
                  true,
                  {}};
  ChartLine slow{"ilp=1", {}, {point(32, 0)}, {}}, fast{"ilp=4", {}, {}, ChartLevel{31.9, 8}};
  for (const double warps : {1.0, 2.0, 4.0, 8.0, 16.0}) slow.points.push_back(point(warps, 1.39 * warps, 2));
  for (const double warps : {16.0, 1.0, 4.0, 2.0, 8.0, 32.0})
    fast.points.push_back(point(warps, std::min(32.0, 5.6 * warps)));
  chart.lines = {slow, fast};
  return chart;
}

BarChart example_bars() {
  return {"c1-0",
          "store by policy",
          "One bar a case.",
          "interval, cycles",
          {"wb", "cg"},
          {{"4 B", {point(0, 7.3, 0.8), point(1, 8)}, {}, {}}, {"16 B", {point(0, 11), point(1, 12.5)}, {}, {}}}};
}

TEST(LineChart, IsTheAcceptedDrawing) { testing::expect_golden("line_chart.svg", draw(example_lines())); }

TEST(BarChart, IsTheAcceptedDrawing) { testing::expect_golden("bar_chart.svg", draw(example_bars())); }

TEST(LineChart, DrawsEveryPointEveryLabelThePlateauAndTheGap) {
  const std::string svg = draw(example_lines());
  std::size_t points = 0;
  for (std::size_t at = svg.find("<a class=\"pt"); at != std::string::npos; at = svg.find("<a class=\"pt", at + 1))
    ++points;
  EXPECT_EQ(points, 12u) << "eleven measured and one missing";
  EXPECT_THAT(svg, AllOf(HasSubstr(">ilp=1<"), HasSubstr(">ilp=4<"), HasSubstr("plateau 31.9"), HasSubstr("95 % at 8"),
                         HasSubstr("class=\"gap\""), HasSubstr("class=\"rg\""), HasSubstr("class=\"wh\"")));
}

TEST(LineChart, OrdersPointsByX) {
  LineChart chart = example_lines();
  chart.lines.erase(chart.lines.begin());
  const std::string svg = draw(chart);
  const std::size_t from = svg.find("class=\"ln s0\" d=\"M") + 18;
  double before = -1;
  for (std::size_t at = from; svg[at - 1] != '"'; at = svg.find_first_of("L\"", at) + 1) {
    const double x = std::stod(svg.substr(at));
    EXPECT_GT(x, before);
    before = x;
  }
  EXPECT_GT(before, 300) << "the whole width is used";
}

LineChart example_curves() {
  LineChart chart = example_lines();
  for (ChartLine& line : chart.lines) {
    line.plateau.reset();
    line.segments = {{1, 4, 5.5, "5.5"}, {1, 4, 5.5, "5.5"}};
    line.boundaries = {{8, 16, "11.3"}};
  }
  chart.dense = true;
  return chart;
}

TEST(LineChart, MarksSegmentsAndBoundariesAndNamesEachOnce) {
  const std::string svg = draw(example_curves());
  EXPECT_THAT(svg, AllOf(HasSubstr("<rect class=\"bd s0\""), HasSubstr("<rect class=\"bd s1\""),
                         HasSubstr("<path class=\"lv s0\""), HasSubstr("<path class=\"lv s1\"")));
  for (const char* name : {">5.5<", ">11.3<"}) {
    EXPECT_NE(svg.find(name), std::string::npos) << name;
    EXPECT_EQ(svg.find(name), svg.rfind(name)) << name;
  }
  LineChart narrow = example_curves();
  narrow.lines[0].boundaries[0].label = "another";
  EXPECT_THAT(draw(narrow), AllOf(HasSubstr(">another<"), HasSubstr(">11.3<")));
}

TEST(LineChart, DrawsManyPointsAsOnePathALine) {
  const std::string svg = draw(example_curves());
  for (const char* path : {"<path class=\"dt s0\"", "<path class=\"dt s1\""}) EXPECT_THAT(svg, HasSubstr(path));
  EXPECT_EQ(svg.find("<a class=\"pt"), svg.rfind("<a class=\"pt")) << "but for the missing one";
}

TEST(LineChart, DashesAPredictionInTheColourOfWhatItPredicts) {
  LineChart chart = example_lines();
  ChartLine predicted;
  predicted.predicted = true;
  predicted.points = {point(1, 2), point(32, 4)};
  chart.lines.insert(chart.lines.begin() + 1, predicted);
  const std::string svg = draw(chart), without = draw(example_lines());
  EXPECT_THAT(svg,
              AllOf(HasSubstr("class=\"ln s0 da\""), HasSubstr("class=\"ln s1\""), Not(HasSubstr("class=\"ln s2"))));
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const char* part : {"<a class=\"pt", "class=\"mk", "class=\"t\""}) {
    EXPECT_EQ(count(svg, part), count(without, part)) << part << ": neither points nor a label";
  }
}

TEST(Charts, SurviveDegenerateInput) {
  LineChart chart = example_lines();
  const std::vector<std::vector<ChartPoint>> cases = {{},
                                                      {point(1, 1)},
                                                      {point(4, 7), point(4, 7)},
                                                      {point(1, 0), point(2, 0)},
                                                      {point(1, not_a_number), point(not_a_number, 1)},
                                                      {point(1, infinity), point(2, 3)},
                                                      {point(1, 1e308), point(2, -1e308)},
                                                      {point(1, 1e149), point(2, 1)},
                                                      {point(1, 1e-300), point(2, 2e-300)},
                                                      {point(0, 1), point(-4, 2), point(8, 3)},
                                                      {point(1, -5), point(2, 5)},
                                                      {point(1, 1e15), point(2, 1e15 + 1)}};
  for (const bool log2 : {false, true}) {
    for (const auto& points : cases) {
      chart.log2_x = log2;
      chart.lines = {{"a", points, points, ChartLevel{not_a_number, infinity}},
                     {"b", points, {}, ChartLevel{1e308, 3}}};
      chart.dense = points.size() % 2 == 0;
      chart.lines[0].predicted = points.size() == 1;
      for (const double odd : {not_a_number, infinity, 0.0, -1.0, 1e308, 3.0}) {
        chart.lines[0].segments.push_back({odd, odd, odd, "level"});
        chart.lines[1].boundaries.push_back({odd, 2, "boundary"});
      }
      BarChart bars = example_bars();
      bars.lines[0].points = points;
      for (const std::string& svg : {draw(chart), draw(bars)}) {
        EXPECT_EQ(testing::xml_error(svg), "");
        EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf "))));
      }
    }
  }
  chart.lines = {{"a", {point(1, not_a_number), point(not_a_number, 1), point(2, infinity)}, {}, {}}};
  EXPECT_THAT(draw(chart), AllOf(HasSubstr("no measured point"), Not(HasSubstr("class=\"mk"))));
  EXPECT_THAT(draw(LineChart{}), HasSubstr("no measured point"));
  EXPECT_THAT(draw(BarChart{}), HasSubstr("no measured point"));
}

TEST(Charts, AreWellFormedWhateverTheTexts) {
  std::mt19937 random(7);
  const auto text = [&] {
    std::string out;
    for (std::size_t i = random() % 24; i > 0; --i)
      out += static_cast<char>(random() % 4 == 0 ? "<>&\"'/"[random() % 6] : random() % 256);
    return out;
  };
  const auto number = [&]() -> double {
    const double scale = std::pow(10.0, static_cast<double>(random() % 40) - 20);
    return (static_cast<double>(random()) / 2147483648.0 - 1) * scale;
  };
  for (int round = 0; round < 200; ++round) {
    LineChart chart{text(), text(), text(), text(), text(), random() % 2 == 0, {}};
    BarChart bars{text(), text(), text(), text(), {text(), text(), text()}, {}};
    for (std::size_t i = random() % 30; i > 0; --i) {
      ChartLine line{text(), {}, {}, ChartLevel{number(), number()}};
      line.segments.push_back({number(), number(), number(), text()});
      line.boundaries.push_back({number(), number(), text()});
      for (std::size_t j = random() % 12; j > 0; --j) {
        ChartPoint p{number(), number(), number(), number(), text(), text()};
        line.missing.push_back(p);
        line.points.push_back(p);
        p.x = static_cast<double>(random() % 4);
        line.points.push_back(p);
      }
      chart.lines.push_back(line);
      bars.lines.push_back(line);
    }
    ASSERT_EQ(testing::xml_error(draw(chart)), "");
    ASSERT_EQ(testing::xml_error(draw(bars)), "");
  }
}

TEST(Coordinate, HasOneDecimalAtMostAndNoOddities) {
  EXPECT_EQ(coordinate(12), "12");
  EXPECT_EQ(coordinate(12.46), "12.5");
  EXPECT_EQ(coordinate(-0.04), "0");
  EXPECT_EQ(coordinate(not_a_number), "0");
  EXPECT_EQ(coordinate(1e300), "1000000");
}

TEST(Ticks, AreRoundAndCoverTheRange) {
  EXPECT_THAT(nice_ticks(0, 32, 5), ElementsAre(0, 5, 10, 15, 20, 25, 30, 35));
  EXPECT_THAT(nice_ticks(0, 1011, 5), ElementsAre(0, 200, 400, 600, 800, 1000, 1200));
  EXPECT_THAT(nice_ticks(0, 0, 5).front(), 0);
  EXPECT_THAT(nice_ticks(-3, 3, 3), ElementsAre(-4, -2, 0, 2, 4));
  EXPECT_THAT(binary_ticks(1, 32, 8), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(binary_ticks(3, 5, 8), ElementsAre(2, 4, 8));
  for (const auto& [low, high] :
       {std::pair{0.0, 1e-9}, {5.0, 5.0}, {-2.0, -1.0}, {0.0, 1e140}, {not_a_number, 3.0}, {4.0, 1.0}}) {
    const std::vector<double> ticks = nice_ticks(low, high, 5);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 12u);
    for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i], ticks[i - 1]);
    if (!std::isnan(low) && low <= high) {
      EXPECT_THAT(ticks.front(), Le(low));
      EXPECT_THAT(ticks.back(), Ge(high));
    }
  }
}

TEST(Ticks, AreLabelledForReaders) {
  EXPECT_EQ(tick_label(65536, true), "64Ki");
  EXPECT_EQ(tick_label(65536, false), "65536");
  EXPECT_EQ(tick_label(1.5 * 1024 * 1024, true), "1.5Mi");
  EXPECT_EQ(tick_label(512, true), "512");
  EXPECT_EQ(tick_label(0.25, false), "0.25");
  EXPECT_EQ(tick_label(-0.0, false), "0");
  EXPECT_EQ(place_label(235939.9, true), "230.4Ki");
  EXPECT_EQ(place_label(36387546, true), "34.7Mi");
  EXPECT_EQ(place_label(33.46, true), "33.5");
  EXPECT_EQ(place_label(2048, false), "2048");
}

TEST(Shorten, CutsBetweenCharacters) {
  EXPECT_EQ(shorten("L2::evict_last", 20), "L2::evict_last");
  EXPECT_EQ(shorten("abcdef", 4), "abc\xE2\x80\xA6");
  EXPECT_EQ(shorten("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3), "\xC3\xA4\xC3\xB6\xE2\x80\xA6");
  EXPECT_EQ(shorten("abcd", 4), "abcd");
}

}  // namespace
}  // namespace warpclock
