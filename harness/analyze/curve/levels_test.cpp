#include "analyze/curve/levels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analyze/testing/synthetic_curve.hpp"

namespace warpclock {
namespace {

/// A possible GPU: L1, L2, a far L2, TLB reach, DRAM.
Hierarchy hierarchy(std::size_t levels, bool random_replacement = false) {
  const std::vector<double> capacities{200 * kib, 3 * mib, 50 * mib, 800 * mib}, latencies{33, 200, 262, 640, 900};
  Hierarchy out{{capacities.begin(), capacities.begin() + static_cast<std::ptrdiff_t>(levels) - 1},
                {latencies.begin(), latencies.begin() + static_cast<std::ptrdiff_t>(levels)}};
  out.random_replacement = random_replacement;
  return out;
}

Curve walk(const Hierarchy& machine, const std::vector<double>& axis, double noise, std::mt19937_64& random) {
  return measured(axis, noise, random, [&](double at) { return machine.at(at); });
}

bool holds(const Boundary& b, double capacity) { return b.low <= capacity && capacity < b.high; }

struct Grid {
  int per_octave;
  double noise;
};

class LevelsOnGrids : public testing::TestWithParam<Grid> {};

TEST_P(LevelsOnGrids, CliffsAreBracketedAndNoLevelIsInvented) {
  std::mt19937_64 random(11);
  const auto axis = footprints(4 * kib, 8 * gib, GetParam().per_octave);
  const int rounds = GetParam().per_octave > 8 ? 2 : 12;
  int boundaries = 0, held = 0;
  for (std::size_t count = 1; count <= 5; ++count) {
    const Hierarchy machine = hierarchy(count);
    for (int round = 0; round < rounds; ++round) {
      const Levels found = find_levels(walk(machine, axis, GetParam().noise, random));
      ASSERT_EQ(found.levels.size(), count);
      ASSERT_EQ(found.boundaries.size(), count - 1);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_NEAR(found.levels[i].value / machine.latencies[i], 1, 2 * GetParam().noise);
      }
      for (std::size_t i = 0; i + 1 < count; ++i) {
        ++boundaries;
        held += holds(found.boundaries[i], machine.capacities[i]);
        EXPECT_GE(found.boundaries[i].confidence, 0.95);
      }
    }
  }
  EXPECT_GE(held, boundaries * 97 / 100);
}

TEST_P(LevelsOnGrids, KneesOfARandomReplacementAreBracketed) {
  std::mt19937_64 random(12);
  const auto axis = footprints(4 * kib, 8 * gib, GetParam().per_octave);
  const Hierarchy machine{{200 * kib, 40 * mib}, {33, 262, 640}, true};
  const int rounds = GetParam().per_octave > 8 ? 5 : 30;
  int first = 0, second = 0, invented = 0;
  for (int round = 0; round < rounds; ++round) {
    const Levels found = find_levels(walk(machine, axis, GetParam().noise, random));
    ASSERT_GE(found.boundaries.size(), 1u);
    first += holds(found.boundaries[0], machine.capacities[0]);
    second += std::ranges::any_of(found.boundaries, [&](const Boundary& b) { return holds(b, machine.capacities[1]); });
    invented += found.levels.size() > 3;
    EXPECT_NEAR(found.levels[0].value / 33, 1, 2 * GetParam().noise);
  }
  EXPECT_GE(first, rounds * 96 / 100);
  // The second level has a slope that dies out; under much noise it can be taken for the ramp before it.
  EXPECT_GE(second, rounds * 90 / 100);
  EXPECT_LE(invented, rounds * 10 / 100);
}

INSTANTIATE_TEST_SUITE_P(All, LevelsOnGrids,
                         testing::Values(Grid{2, 0.001}, Grid{2, 0.005}, Grid{4, 0.001}, Grid{4, 0.01}, Grid{4, 0.02},
                                         Grid{16, 0.001}, Grid{16, 0.02}),
                         [](const auto& grid) {
                           return "Octave" + std::to_string(grid.param.per_octave) + "Permille" +
                                  std::to_string(std::lround(1000 * grid.param.noise));
                         });

/// Repeats the measurements that refine() requests until it requests none.
Levels refined(const Hierarchy& machine, Curve& curve, double noise, std::mt19937_64& random, int& passes) {
  for (passes = 0;; ++passes) {
    const Levels found = find_levels(curve);
    const std::vector<double> more = refine(found, curve, {.multiple = 128});
    if (more.empty() || passes == 3) return found;
    const Curve added = walk(machine, more, noise, random);
    curve.points.insert(curve.points.end(), added.points.begin(), added.points.end());
    std::ranges::sort(curve.points, {}, &CurvePoint::at);
  }
}

TEST(Levels, RefinementPlacesEachCapacityWithinTwoPercent) {
  for (const bool random_replacement : {false, true}) {
    for (const double noise : {0.001, 0.01}) {
      std::mt19937_64 random(13);
      const Hierarchy machine{{200 * kib, 40 * mib}, {33, 262, 640}, random_replacement};
      for (int round = 0; round < 8; ++round) {
        Curve curve = walk(machine, footprints(4 * kib, 8 * gib, 3), noise, random);
        int passes = 0;
        const Levels found = refined(machine, curve, noise, random, passes);
        ASSERT_GE(found.boundaries.size(), 2u) << random_replacement << noise;
        EXPECT_NEAR(found.boundaries[0].best / machine.capacities[0], 1, 0.02) << random_replacement << noise;
        EXPECT_NEAR(found.boundaries[1].best / machine.capacities[1], 1, 0.02) << random_replacement << noise;
        EXPECT_LE(passes, 3);
      }
    }
  }
}

enum class Disturbance { Normal, OnlyUp, HeavyTails, Creep, Drift };

int invented_of(Disturbance what, double noise, int rounds) {
  std::mt19937_64 random(14);
  const auto axis = footprints(4 * kib, 256 * mib, 3);
  std::exponential_distribution<double> up(1);
  std::student_t_distribution<double> tails(3);
  int invented = 0;
  for (int round = 0; round < rounds; ++round) {
    double crept = 0;
    Curve curve = measured(axis, 0, random, [&](double at) {
      switch (what) {
        case Disturbance::OnlyUp:
          return 262 * (1 + noise * up(random));
        case Disturbance::HeavyTails:
          return 262 * std::exp(noise * tails(random));
        case Disturbance::Creep:
          return 262 * (1 + (crept += noise * up(random) / 20));
        case Disturbance::Drift:
          return 262 * (1 + 0.005 * std::log2(at / kib)) * std::exp(noise * std::normal_distribution<double>()(random));
        default:
          return 262 * std::exp(noise * std::normal_distribution<double>()(random));
      }
    });
    const Levels found = find_levels(curve);
    invented += found.levels.size() != 1 || !found.boundaries.empty();
  }
  return invented;
}

TEST(Levels, AFlatCurveIsOneLevelInAllButOneOfAHundred) {
  constexpr int rounds = 60;
  int invented = 0, curves = 0;
  for (const double noise : {0.001, 0.005, 0.02}) {
    for (const auto what :
         {Disturbance::Normal, Disturbance::OnlyUp, Disturbance::HeavyTails, Disturbance::Creep, Disturbance::Drift}) {
      invented += invented_of(what, noise, rounds);
      curves += rounds;
    }
  }
  EXPECT_LE(invented, curves / 100) << "of " << curves;
}

// The true boundary must lie in the bracket as often as its confidence says, even if a step is barely visible.
TEST(Levels, ConfidenceIsKept) {
  for (const bool random_replacement : {false, true}) {
    std::mt19937_64 random(15);
    const Hierarchy machine{{300 * kib}, {200, random_replacement ? 260.0 : 214.0}, random_replacement};
    const auto axis = footprints(16 * kib, 16 * mib, 8);
    int boundaries = 0, held = 0;
    double claimed = 0, widest = 0;
    for (int round = 0; round < 100; ++round) {
      const Curve curve = walk(machine, axis, 0.02, random);
      const Levels found = find_levels(curve);
      for (std::size_t i = 0; i < found.boundaries.size(); ++i) {
        const Boundary& b = found.boundaries[i];
        EXPECT_LE(curve.points[found.levels[i].last].at, b.best) << "what lies beyond is no part of the level";
        ++boundaries;
        held += holds(b, machine.capacities[0]);
        claimed += b.confidence;
        widest = std::max(widest, b.high / b.low);
      }
    }
    EXPECT_GE(boundaries, 80);
    EXPECT_GE(held, claimed - 0.05 * boundaries) << random_replacement;
    EXPECT_GT(widest, std::exp2(2.0 / 8)) << "noise like this widens brackets";
  }
}

// A level that begins with the remainder of a ramp is bent there, by more than such low noise can hide.
TEST(Levels, ABentLevelEndsWhereItEnds) {
  std::mt19937_64 random(26);
  const Hierarchy machine{{200 * kib, 40 * mib}, {33, 262, 640}, true};
  int held = 0;
  for (int round = 0; round < 20; ++round) {
    const Levels found = find_levels(walk(machine, footprints(512 * kib, 512 * mib, 12), 0.001, random));
    held += std::ranges::any_of(found.boundaries, [](const Boundary& b) { return holds(b, 40 * mib); });
  }
  EXPECT_GE(held, 19);
}

TEST(Levels, ABumpIsNotBadPoints) {
  std::mt19937_64 random(27);
  const Curve curve = measured(footprints(4 * kib, 64 * mib, 4), 0.002, random,
                               [](double at) { return 262 * (1 + 0.3 * std::exp(-std::pow(std::log2(at / mib), 2))); });
  const Levels found = find_levels(curve);
  ASSERT_GE(found.levels.size(), 2u);
  EXPECT_LT(curve.points[found.levels.front().last].at, 0.5 * mib);
  EXPECT_GT(curve.points[found.levels.back().first].at, 2 * mib);
}

TEST(Levels, AStepOfFivePercentIsFound) {
  std::mt19937_64 random(16);
  const Hierarchy machine{{24 * mib}, {250, 262.5}};
  int found_it = 0;
  for (int round = 0; round < 30; ++round) {
    const Levels found = find_levels(walk(machine, footprints(512 * kib, 512 * mib, 4), 0.005, random));
    found_it += found.levels.size() == 2 && holds(found.boundaries[0], 24 * mib);
  }
  EXPECT_GE(found_it, 29);
}

TEST(Levels, AStepSmallerThanTheLeastIsNone) {
  std::mt19937_64 random(17);
  const Levels found =
      find_levels(walk(Hierarchy{{24 * mib}, {250, 255}}, footprints(512 * kib, 512 * mib, 4), 0.001, random));
  ASSERT_EQ(found.levels.size(), 1u);
  EXPECT_NEAR(found.levels[0].residual, 0.02, 0.005);
}

TEST(Levels, DriftOverALevelStaysInIt) {
  std::mt19937_64 random(18);
  Hierarchy machine = hierarchy(3);
  machine.drift = 0.008;
  const Levels found = find_levels(walk(machine, footprints(4 * kib, 1 * gib, 4), 0.002, random));
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_TRUE(holds(found.boundaries[0], machine.capacities[0]));
  EXPECT_TRUE(holds(found.boundaries[1], machine.capacities[1]));
  EXPECT_NEAR(found.levels[1].slope, 0.008, 0.003);
}

TEST(Levels, ACurveThatStartsBeyondL1HasNoL1) {
  std::mt19937_64 random(19);
  const Hierarchy machine{{200 * kib, 40 * mib}, {33, 262, 640}, true};
  for (const double from : {300 * kib, 8 * mib}) {
    const Levels found = find_levels(walk(machine, footprints(from, 8 * gib, 4), 0.002, random));
    ASSERT_EQ(found.levels.size(), 2u) << from;
    ASSERT_EQ(found.boundaries.size(), 1u) << from;
    EXPECT_TRUE(holds(found.boundaries[0], 40 * mib));
    EXPECT_NEAR(found.levels[0].value, 262, 6);
  }
}

TEST(Levels, AnEndOnTheRampStillBoundsTheLevelBeforeIt) {
  std::mt19937_64 random(20);
  const Hierarchy machine{{200 * kib}, {33, 262}, true};
  const Levels found = find_levels(walk(machine, footprints(4 * kib, 500 * kib, 4), 0.005, random));
  ASSERT_EQ(found.levels.size(), 1u);
  ASSERT_EQ(found.boundaries.size(), 1u);
  EXPECT_TRUE(holds(found.boundaries[0], 200 * kib));
}

TEST(Levels, BadPointsAreNamedAndAreNoLevels) {
  for (int seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Hierarchy machine = hierarchy(2);
    Curve curve = walk(machine, footprints(4 * kib, 64 * mib, 4), 0.003, random);
    const std::size_t one = 3 + static_cast<std::size_t>(seed) % 15, other = 30 + static_cast<std::size_t>(seed) % 22;
    curve.points[one].value *= 1.4;
    curve.points[other].value *= 0.7;
    const Levels found = find_levels(curve);
    ASSERT_EQ(found.levels.size(), 2u) << seed;
    EXPECT_TRUE(holds(found.boundaries[0], 200 * kib)) << seed;
    EXPECT_EQ(found.levels[0].outliers, std::vector<std::size_t>{one}) << seed;
    EXPECT_EQ(found.levels[1].outliers, std::vector<std::size_t>{other}) << seed;
    EXPECT_LT(found.levels[0].residual, 0.015) << seed;
  }
}

TEST(Levels, ABadPointBesideABoundaryDoesNotMoveIt) {
  for (std::size_t bad = 24; bad < 28; ++bad) {
    std::mt19937_64 random(29);
    Curve curve = walk(hierarchy(2), footprints(4 * kib, 64 * mib, 4), 0.003, random);
    curve.points[bad].value *= 0.7;
    const Levels found = find_levels(curve);
    ASSERT_EQ(found.levels.size(), 2u) << bad;
    EXPECT_TRUE(holds(found.boundaries[0], 200 * kib)) << bad;
  }
}

TEST(Levels, ABadPointAtTheEndIsNoBoundary) {
  std::mt19937_64 random(21);
  Curve curve = walk(hierarchy(1), footprints(4 * kib, 64 * kib, 4), 0.003, random);
  curve.points.back().value *= 2;
  const Levels found = find_levels(curve);
  EXPECT_EQ(found.levels.size(), 1u);
  EXPECT_TRUE(found.boundaries.empty());
}

TEST(Levels, AnEndThatIsLeftByLessThanAStepIsNoBoundary) {
  std::mt19937_64 random(28);
  Curve curve = walk(hierarchy(1), footprints(4 * kib, 64 * kib, 4), 0.0005, random);
  for (std::size_t i = 1; i <= 2; ++i) curve.points[curve.points.size() - i].value *= 1.02;
  EXPECT_TRUE(find_levels(curve).boundaries.empty());
}

TEST(Levels, EachLevelHasItsOwnNoise) {
  std::mt19937_64 random(22);
  std::normal_distribution<double> normal;
  const Hierarchy machine{{200 * kib}, {33, 640}};
  for (int round = 0; round < 20; ++round) {
    const Curve curve = measured(footprints(4 * kib, 512 * mib, 4), 0, random, [&](double at) {
      return machine.at(at) * std::exp((at > 200 * kib ? 0.015 : 0.0001) * normal(random));
    });
    const Levels found = find_levels(curve);
    ASSERT_EQ(found.levels.size(), 2u);
    EXPECT_TRUE(holds(found.boundaries[0], 200 * kib));
  }
}

TEST(Levels, WideIntervalsHideASmallStep) {
  std::mt19937_64 random(23);
  Curve curve = walk(Hierarchy{{1 * mib}, {250, 262.5}}, footprints(128 * kib, 8 * mib, 2), 0.0005, random);
  EXPECT_EQ(find_levels(curve).levels.size(), 2u);
  for (CurvePoint& p : curve.points) std::tie(p.low, p.high) = std::pair(p.value * 0.93, p.value * 1.07);
  EXPECT_EQ(find_levels(curve).levels.size(), 1u);
}

// Seen on an H200, in MiB: the last point before the ramp of L2 was anywhere from 270 to 336 cycles.
TEST(Levels, AnUncertainPointAtTheEndIsNotOnTheLevelThatItLiesOff) {
  Curve curve;
  for (const double at : {1.0, 1.41, 2.0, 2.83, 4.0, 5.66, 8.0, 11.3, 16.0, 22.6}) {
    curve.points.push_back({at, 286.5, 286.1, 286.9});
  }
  for (const CurvePoint& point : {CurvePoint{32.0, 314.7, 270.7, 336.1}, CurvePoint{45.3, 366.5, 361.7, 381.0},
                                  CurvePoint{64.0, 473.2, 468.9, 477.9}, CurvePoint{90.5, 540.6, 534.4, 546.8},
                                  CurvePoint{128.0, 585.5, 582.4, 588.6}, CurvePoint{181.0, 618.4, 613.8, 622.5},
                                  CurvePoint{256.0, 641.1, 634.0, 645.9}}) {
    curve.points.push_back(point);
  }
  const Levels found = find_levels(curve);
  ASSERT_FALSE(found.levels.empty());
  EXPECT_EQ(curve.points[found.levels[0].last].at, 22.6);
  EXPECT_LT(found.levels[0].residual, 0.01);
  ASSERT_FALSE(found.boundaries.empty());
  EXPECT_LE(found.boundaries[0].low, 22.6);
}

// Seen on an H200 with a carve-out of 228 KiB, which leaves 21 KiB of L1.
TEST(Levels, APointOfTheBracketThatHasRisenIsNotOnTheLevel) {
  Curve curve;
  for (const double at : {8192, 9728, 11648, 13824, 16384, 19456, 20352}) curve.points.push_back({at, 34, 34, 34});
  for (const CurvePoint& point :
       {CurvePoint{21248, 33.87, 33.32, 34.42}, CurvePoint{21376, 34.78, 33.49, 36.07},
        CurvePoint{21504, 35.27, 33.55, 36.99}, CurvePoint{21632, 36.47, 35.47, 37.47},
        CurvePoint{21888, 42.34, 41.64, 43.04}, CurvePoint{22144, 44.95, 44.18, 45.72},
        CurvePoint{23168, 76.3, 73.75, 78.85}, CurvePoint{27520, 157.07, 155.36, 158.78},
        CurvePoint{32768, 211.41, 208.31, 214.51}, CurvePoint{38912, 277.18, 272.76, 281.6},
        CurvePoint{46336, 282.16, 280.78, 283.54}, CurvePoint{55168, 281.63, 281.16, 282.1},
        CurvePoint{65536, 281.56, 280.79, 282.33}, CurvePoint{77952, 281.31, 280.05, 282.57}}) {
    curve.points.push_back(point);
  }
  const Levels found = find_levels(curve);
  ASSERT_GE(found.levels.size(), 2U);
  EXPECT_EQ(found.levels[0].value, 34);
  EXPECT_LT(found.levels[0].residual, 0.01);
  ASSERT_FALSE(found.boundaries.empty());
  EXPECT_LE(found.boundaries[0].low, 21504);
  EXPECT_GE(found.boundaries[0].high, 21504);
}

TEST(Levels, ABandwidthThatFallsHasLevelsToo) {
  std::mt19937_64 random(24);
  const Hierarchy machine{{200 * kib, 40 * mib}, {64, 40, 16}};
  const Levels found = find_levels(walk(machine, footprints(4 * kib, 1 * gib, 4), 0.005, random));
  ASSERT_EQ(found.levels.size(), 3u);
  EXPECT_TRUE(holds(found.boundaries[1], 40 * mib));
}

TEST(Levels, NothingComesOfWhatIsNoCurve) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(find_levels({}).levels.empty());
  Curve curve;
  curve.points = {{1, 5}};
  EXPECT_TRUE(find_levels(curve).levels.empty());
  curve.points = {{nan, 5}, {-1, 5}, {0, 5}, {inf, 5}, {2, nan}, {3, 0}, {4, -1}, {5, inf}};
  EXPECT_TRUE(find_levels(curve).levels.empty());
}

TEST(Levels, PointsThatAreNoNumbersArePassedOver) {
  std::mt19937_64 random(25);
  Curve curve = walk(hierarchy(2), footprints(4 * kib, 64 * mib, 4), 0.002, random);
  curve.points[5].value = std::numeric_limits<double>::quiet_NaN();
  curve.points[9].at = 1;
  curve.points[12].high = -3;
  const Levels found = find_levels(curve);
  ASSERT_EQ(found.levels.size(), 2u);
  EXPECT_EQ(found.levels[0].first, 0u);
  EXPECT_EQ(found.levels[1].last, curve.points.size() - 1);
  EXPECT_TRUE(holds(found.boundaries[0], 200 * kib));
}

TEST(Refine, AsksForMultiplesInsideTheBracketThatAreNotThereYet) {
  Curve curve;
  curve.points = {{1024, 1}, {1280, 1}, {2048, 2}};
  const Levels levels{{}, {{1024, 2048, 1500, 1}}};
  EXPECT_EQ(refine(levels, curve, {.most = 3, .multiple = 256}), (std::vector<double>{1536, 1792}));
  EXPECT_EQ(refine(levels, curve, {.most = 1, .multiple = 0}).size(), 1u);
  EXPECT_TRUE(refine(levels, curve, {.tolerance = 1}).empty());
  EXPECT_TRUE(refine(levels, curve, {.multiple = 1024}).empty());
  EXPECT_TRUE(refine({}, curve).empty());
  curve.points[0].at = 1030;
  EXPECT_TRUE(refine({{}, {{1030, 2048, 1500, 1}}}, curve, {.multiple = 1024}).empty()) << "1024 is below the bracket";
}

// Seen on an H200: L1 answers in 34.0 cycles, and the ramp after it was not measured.
TEST(Levels, AnExactLevelEndsWhereItWasLastSeen) {
  Curve curve{"footprint", "B", "latency", "cycles", {}};
  for (const double at : footprints(1024, 220416, 4)) curve.points.push_back({at, 34, 34, 34});
  const double last = curve.points.back().at;
  const std::vector<double> beyond{297.3, 294.1, 292.3, 292.5, 290.3, 286.5, 281.9, 285.5, 283.7, 285.1, 284.2, 284.4,
                                   283.5, 281.7, 284.4, 282.9, 283.7, 283.7, 283.2, 284.6, 283.1, 282.1, 282.9, 282.6};
  const std::vector<double> off{30, 20, 21, 12, 15, 8, 8, 10, 8, 5, 4, 5, 8, 4, 5, 5, 2, 4, 2, 5, 3, 2, 2, 2};
  const std::vector<double> at = footprints(524288, 28215808, 4);
  for (std::size_t i = 0; i < std::min(at.size(), beyond.size()); ++i) {
    curve.points.push_back({at[i], beyond[i], beyond[i] - off[i], beyond[i] + off[i]});
  }
  const Levels found = find_levels(curve);
  ASSERT_EQ(found.levels.size(), 2U);
  EXPECT_EQ(curve.points[found.levels[0].last].at, last);
  ASSERT_EQ(found.boundaries.size(), 1U);
  EXPECT_EQ(found.boundaries[0].low, last);
  EXPECT_EQ(found.boundaries[0].high, 524288);
}

}  // namespace
}  // namespace warpclock
