#include "analyze/curve/sides.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lookup.hpp"

namespace warpclock {
namespace {

using Matrix = std::vector<std::vector<double>>;

constexpr std::size_t fewest = 8;
constexpr double least_share = 0.5;
constexpr double least_over_chance = 2;
constexpr double least_side = 0.1;
constexpr int rounds = 100;  // of the power method; with sides, the ratio of singular values is far from 1

double mean(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double v : values) {
    sum += v;
    count += v != 0 ? 1 : 0;
  }
  return count > 0 ? sum / count : 0;
}

std::vector<double> column(const Matrix& rows, std::size_t j) {
  return mapped(rows, [&](const auto& row) { return row[j]; });
}

/// What remains after the means of rows and columns are subtracted; 0 if a value is missing.
Matrix interaction(const Matrix& rows) {
  std::vector<double> row_means, column_means;
  for (const auto& row : rows) row_means.push_back(mean(row));
  for (std::size_t j = 0; j < rows.front().size(); ++j) column_means.push_back(mean(column(rows, j)));
  const double all = mean(row_means);
  Matrix left = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      left[i][j] = rows[i][j] == 0 ? 0 : rows[i][j] - row_means[i] - column_means[j] + all;
    }
  }
  return left;
}

double normalize(std::vector<double>& values) {
  const double length = std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
  if (length > 0) std::ranges::for_each(values, [&](double& v) { v /= length; });
  return length;
}

struct Singular {
  std::vector<double> left, right;
  double value = 0;
};

Singular first_singular(const Matrix& m) {
  Singular s;
  // The row of the largest norm is not orthogonal to the singular vector, as an arbitrary start might be.
  const auto norm = [](const std::vector<double>& row) {
    return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  };
  s.right = *std::ranges::max_element(m, {}, norm);
  normalize(s.right);
  for (int round = 0; round < rounds; ++round) {
    s.left.clear();
    for (const auto& row : m) s.left.push_back(std::inner_product(row.begin(), row.end(), s.right.begin(), 0.0));
    normalize(s.left);
    std::ranges::fill(s.right, 0.0);
    for (std::size_t i = 0; i < m.size(); ++i) {
      for (std::size_t j = 0; j < s.right.size(); ++j) s.right[j] += m[i][j] * s.left[i];
    }
    s.value = normalize(s.right);
  }
  return s;
}

bool is_balanced(const std::vector<bool>& sides) {
  const auto ones = static_cast<double>(std::ranges::count(sides, true));
  const auto size = static_cast<double>(sides.size());
  return ones >= least_side * size && ones <= (1 - least_side) * size;
}

}  // namespace

std::optional<Sides> find_sides(const Matrix& rows) {
  if (rows.size() < fewest || rows.front().size() < fewest) return std::nullopt;
  if (std::ranges::any_of(rows, [&](const auto& row) { return row.size() != rows.front().size(); }))
    return std::nullopt;
  const Matrix left = interaction(rows);
  double variance = 0;
  for (const auto& row : left) variance += std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  if (!(variance > 0)) return std::nullopt;
  const Singular s = first_singular(left);
  Sides sides;
  sides.share = s.value * s.value / variance;
  const double by_chance = std::pow(
      1 / std::sqrt(static_cast<double>(rows.size())) + 1 / std::sqrt(static_cast<double>(rows.front().size())), 2);
  if (!(sides.share >= std::max(least_share, least_over_chance * by_chance))) return std::nullopt;
  // The product of the two components is added to a value, and near values are lower. So the components of a pair on
  // one side have opposite signs.
  const bool first = s.right.front() > 0;
  for (const double v : s.right) sides.column_side.push_back((v > 0) != first);
  for (const double v : s.left) sides.row_side.push_back((v > 0) == first);
  if (!is_balanced(sides.row_side) || !is_balanced(sides.column_side)) return std::nullopt;
  std::vector<double> near, far;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      if (rows[i][j] != 0) (sides.row_side[i] == sides.column_side[j] ? near : far).push_back(rows[i][j]);
    }
  }
  if (near.empty() || far.empty()) return std::nullopt;
  near = sorted_finite(std::move(near));
  far = sorted_finite(std::move(far));
  sides.near = median(near);
  sides.far = median(far);
  sides.near_interval = median_interval(near);
  sides.far_interval = median_interval(far);
  return sides;
}

}  // namespace warpclock
