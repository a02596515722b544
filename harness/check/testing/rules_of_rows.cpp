#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "check/testing/rules.hpp"

namespace warpclock::testing {
namespace {

/// The words of `group` neighbours are added, and go into the next round.
Rule rounds_of_sums(const Inputs& in, std::int64_t group) {
  return [in, group](std::size_t, std::int64_t i) {
    const std::int64_t first = i / group * group;
    std::vector<std::uint32_t> v(static_cast<std::size_t>(group));
    for (std::int64_t k = 0; k < group; ++k) v[k] = in.word(0, first + k);
    for (std::int64_t round = 0; round < in.number("rounds"); ++round) {
      std::uint32_t sum = 0;
      for (std::int64_t k = 0; k < group; ++k) sum += v[k] + static_cast<std::uint32_t>((first + k) ^ round);
      std::ranges::fill(v, sum);
    }
    return exact(v.front());
  };
}

/// Applies `step` to the row of `length` that an element is in, as often as there are rounds.
template <class Step>
Rule rows(const Inputs& in, std::int64_t length, double tolerance, Step step) {
  return [in, length, tolerance, step](std::size_t, std::int64_t i) {
    std::vector<double> row(static_cast<std::size_t>(length));
    for (std::int64_t k = 0; k < length; ++k) row[k] = in.f32(0, i / length * length + k);
    for (std::int64_t round = 0; round < in.number("rounds"); ++round) step(row);
    double most = 0;
    for (const double v : row) most = std::max(most, std::abs(v));
    // Beyond the range of floats nothing is expected: many scans of a block get there.
    const bool inside = most < std::numeric_limits<float>::max();
    return ExpectedNumber{row[i % length], inside ? tolerance * most : std::numeric_limits<double>::infinity()};
  };
}

}  // namespace

Rule reduce(const Inputs& in) { return rounds_of_sums(in, lanes); }
Rule reduce_block(const Inputs& in) { return rounds_of_sums(in, lanes * in.number("warps")); }

Rule registers(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    constexpr std::int64_t threads = 256;
    const auto values = static_cast<std::size_t>(in.number("values"));
    const std::int64_t rounds = in.number("rounds");
    std::vector<float> sums(values);
    for (std::size_t k = 0; k < values; ++k) sums[k] = static_cast<float>(k);
    for (std::int64_t round = 0; round < rounds; ++round) {
      const float v = in.f32(0, i / threads * threads * rounds + round * threads + i % threads);
      for (std::size_t k = 0; k < values; ++k) sums[k] = std::fmaf(sums[(k + 1) % values], 0.5F, v);
    }
    float total = 0;
    for (const float sum : sums) total = std::fmaf(total, 0.75F, sum);
    return ExpectedNumber{total, 1e-6 + 1e-6 * std::abs(total)};
  };
}

Rule pipeline(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    constexpr std::int64_t threads = 128, words = 4;
    const std::int64_t vectors = in.number("vectors", 4), rounds = in.number("rounds");
    float total = 0;
    for (std::int64_t round = 0; round < rounds; ++round) {
      const std::int64_t tile = (i / threads * rounds + round) * threads * vectors;
      for (std::int64_t k = 0; k < vectors; ++k)
        total += std::bit_cast<float>(in.word(0, (tile + k * threads + i % threads) * words) & 0x3fffffffU);
      for (std::int64_t k = 0; k < in.number("work") / 4; ++k) total = std::fmaf(total, 0.5F, 1.0F);
    }
    return ExpectedNumber{total, 1e-6 * std::abs(total)};
  };
}

Rule saxpy(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) { return exact(std::fmaf(0.5F, in.f32(0, i), in.f32(1, i))); };
}

Rule sum(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t each = in.number("items") * 1024;
    double all = 0;
    for (std::int64_t k = 0; k < each; ++k) all += in.f32(0, i / 256 * each + k);
    return ExpectedNumber{all, 1e-3};
  };
}

Rule histogram(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t each = in.number("items") * 4096;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < each; ++k)
      count += static_cast<std::int64_t>(in.bits(0, i / 256 * each + k, 1)) == i % 256 ? 1 : 0;
    return exact(static_cast<double>(count));
  };
}

Rule softmax(const Inputs& in) {
  return rows(in, in.number("columns"), 1e-4, [](std::vector<double>& row) {
    const double most = *std::ranges::max_element(row);
    double sum = 0;
    for (double& v : row) sum += v = std::exp(v - most);
    for (double& v : row) v /= sum;
  });
}

Rule layer_norm(const Inputs& in) {
  return rows(in, in.number("columns"), 1e-4, [](std::vector<double>& row) {
    const auto count = static_cast<double>(row.size());
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
    double squares = 0;
    for (double& v : row) {
      v -= mean;
      squares += v * v;
    }
    for (double& v : row) v /= std::sqrt(squares / count + 1e-5);
  });
}

Rule gelu(const Inputs& in) {
  // tanh.approx has a relative error of 2^-11 (PTX ISA).
  return rows(in, 1024, 1e-3, [](std::vector<double>& row) {
    for (double& v : row) v = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
  });
}

Rule scan(const Inputs& in) {
  return rows(in, lanes * in.number("warps"), 1e-3,
              [](std::vector<double>& row) { std::partial_sum(row.begin(), row.end(), row.begin()); });
}

/// v = v / 2 + first ends at twice the first value.
Rule chain(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) { return ExpectedNumber{2 * static_cast<double>(in.f32(0, i)), 1e-6}; };
}

Rule relay(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t threads = lanes * in.number("warps"), words = in.number("words"), rounds = in.number("rounds");
    const std::int64_t from = threads - 1 - i % threads, all = words * rounds;
    return exact(static_cast<std::uint32_t>(all * (all - 1) / 2 + all * from));
  };
}

Rule sum_bulk(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t threads = lanes * in.number("warps"), bytes = in.number("bytes");
    std::uint32_t sum = 0;
    for (std::int64_t round = 0; round < in.number("rounds"); ++round) {
      const std::int64_t tile = (round * in.one.call.grid[0] + i / threads) * (bytes / 4);
      for (std::int64_t first = i % threads * 4; first < bytes / 4; first += threads * 4)
        for (std::int64_t k = 0; k < 4; ++k) sum += in.word(0, tile + first + k);
    }
    return exact(sum);
  };
}

}  // namespace warpclock::testing
