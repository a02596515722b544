#include <gtest/gtest.h>

#include <random>

#include "analyze/curve/curve.hpp"
#include "base/testing/matchers.hpp"

namespace warpclock {
namespace {

using Matrix = std::vector<std::vector<double>>;

struct Made {
  Matrix rows;
  std::vector<bool> row_side, column_side;
};

Made made(unsigned seed, std::size_t rows, std::size_t columns, double step, double noise) {
  std::mt19937 random(seed);
  std::normal_distribution<double> spread(0, 1);
  Made m;
  std::vector<double> of_row, of_column;
  for (std::size_t i = 0; i < rows; ++i) {
    m.row_side.push_back(i < 3 || random() % 2 != 0);
    of_row.push_back(15 * spread(random));
  }
  for (std::size_t j = 0; j < columns; ++j) {
    m.column_side.push_back(j != 0 && (j < 4 || random() % 3 == 0));
    of_column.push_back(15 * spread(random));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = m.rows.emplace_back();
    for (std::size_t j = 0; j < columns; ++j) {
      const double far = m.row_side[i] != m.column_side[j] ? step : 0;
      row.push_back(270 + of_row[i] + of_column[j] + far + noise * spread(random));
    }
  }
  return m;
}

// The sides are found although the differences between rows and between columns are as large as the step.
TEST(Sides, AreRecoveredFromUnderTheDistancesOfRowsAndColumns) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const Made m = made(seed, 16 + seed % 30, 60 + seed, 30, 6);
    const auto sides = find_sides(m.rows);
    ASSERT_TRUE(sides) << seed;
    EXPECT_EQ(sides->row_side, m.row_side) << seed;
    EXPECT_EQ(sides->column_side, m.column_side) << seed;
    EXPECT_NEAR(sides->far - sides->near, 30, 12) << seed;
  }
}

TEST(Sides, AreNotFoundInNoise) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    EXPECT_FALSE(find_sides(made(seed, 32, 132, 0, 6).rows)) << seed;
    EXPECT_FALSE(find_sides(made(seed, 8, 8, 0, 6).rows)) << seed;
  }
}

// One row that is different for some columns, like a line that was not in the cache, makes no sides.
TEST(Sides, AreNotFoundInOneRowThatIsDifferent) {
  Made m = made(7, 32, 132, 0, 2);
  for (std::size_t j = 0; j < 60; ++j) m.rows[5][j] += 300;
  EXPECT_FALSE(find_sides(m.rows));
}

TEST(Sides, AreToldWhereSomeValuesAreMissing) {
  Made m = made(3, 32, 132, 30, 4);
  for (std::size_t k = 0; k < 200; ++k) m.rows[k * 7 % 32][k * 13 % 132] = 0;
  EXPECT_EQ(must(find_sides(m.rows)).column_side, m.column_side);
}

TEST(Sides, NeedRowsAndColumnsOfOneLength) {
  EXPECT_FALSE(find_sides({}));
  EXPECT_FALSE(find_sides(Matrix(7, std::vector<double>(100, 1))));
  EXPECT_FALSE(find_sides(Matrix(20, std::vector<double>(20, 5))));
  Matrix ragged = made(2, 20, 40, 30, 1).rows;
  ragged[3].pop_back();
  EXPECT_FALSE(find_sides(ragged));
}

}  // namespace
}  // namespace warpclock
