#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "check/testing/rules.hpp"

namespace warpclock::testing {
namespace {

constexpr std::int64_t head = 64;

/// An element of rows of 64 halves whose vectors the swizzle exchanges.
double swizzled(const Inputs& in, std::size_t argument, std::int64_t row, std::int64_t k) {
  constexpr std::int64_t width = 64, vector = 8;
  return in.f16(argument, row * width + ((k / vector) ^ (row % vector)) * vector + k % vector);
}

/// The softmax of a query's products with keys, times their values.
std::vector<double> attended(std::span<const double> query, std::span<const double> keys,
                             std::span<const double> values) {
  std::vector<double> weights(keys.size() / head), sums(head);
  for (std::size_t key = 0; key < weights.size(); ++key)
    weights[key] = std::inner_product(query.begin(), query.end(), keys.subspan(key * head).begin(), 0.0);
  const double most = *std::ranges::max_element(weights);
  for (double& weight : weights) weight = std::exp((weight - most) / std::sqrt(head));
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % head] += weights[i / head] * values[i] / total;
  return sums;
}

/// One tile of 16 queries against 64 keys and values, for a head of 64.
struct Attention {
  static constexpr std::int64_t tile = 64, height = 16, elements = height * head;
  Inputs in;
  std::vector<double> keys = halves(1), values = halves(2);
  std::map<std::int64_t, std::vector<double>> known = {};

  [[nodiscard]] std::vector<double> halves(std::size_t argument) const {
    std::vector<double> all(tile * head);
    for (std::int64_t i = 0; i < tile * head; ++i) all[i] = in.f16(argument, i);
    return all;
  }

  static double half(double value) { return number_of(CallType::F16, bits_of(CallType::F16, value)); }

  void attend(std::vector<double>& queries) const {
    for (std::int64_t row = 0; row < height; ++row) {
      const std::span<double> query(queries.data() + row * head, head);
      std::ranges::transform(attended(query, keys, values), query.begin(), half);
    }
  }

  ExpectedNumber at(std::int64_t element) {
    const std::int64_t number = element / elements;
    auto [found, fresh] = known.try_emplace(number);
    if (fresh) {
      found->second.resize(elements);
      for (std::int64_t i = 0; i < elements; ++i) found->second[i] = in.f16(0, number * elements + i);
      const std::int64_t rounds = in.is("queries", "kept") ? in.number("rounds") : 1;
      for (std::int64_t round = 0; round < rounds; ++round) attend(found->second);
    }
    constexpr double of_halves = 1.5e-3;  // exponentials are rounded to halves, and added in another order
    return {found->second[element % elements], of_halves};
  }
};

/// Queries, keys and values with the swizzle. Blocks of one row of the grid have the same keys and values.
struct AttentionGroups {
  Inputs in;
  std::int64_t queries = in.one.call.grid[0] * in.number("groups") * 64;
  std::int64_t keys = in.number("rounds") * in.number("keys");
  std::map<std::int64_t, std::vector<double>> known = {};

  [[nodiscard]] std::vector<double> rows(std::size_t argument, std::int64_t first, std::int64_t count) const {
    std::vector<double> all(count * head);
    for (std::int64_t i = 0; i < count * head; ++i) all[i] = swizzled(in, argument, first + i / head, i % head);
    return all;
  }

  ExpectedNumber at(std::int64_t element) {
    const std::int64_t row = element / head, first = row / queries * keys;
    auto [found, fresh] = known.try_emplace(row);
    if (fresh) found->second = attended(rows(0, row, 1), rows(1, first, keys), rows(2, first, keys));
    const double value = found->second[element % head];
    return {value, 5e-5 + 1e-3 * std::abs(value)};
  }
};

/// C = A B^T by blocks with tiles of so many rows and columns; what is behind them is not written.
Rule product(const Inputs& in, std::int64_t height, std::int64_t width) {
  return [in, height, width](std::size_t, std::int64_t i) {
    const std::int64_t columns = in.one.call.grid[0] * width, depth = in.number("depth");
    if (i >= columns * in.one.call.grid[1] * height) return exact(0);
    const bool again = in.is("from", "shared");
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += in.f16(0, i / columns * depth + k) * in.f16(1, i % columns * depth + k);
    if (again) sum *= static_cast<double>(in.number("rounds"));
    return ExpectedNumber{sum, 2e-3 + 1e-4 * std::abs(sum)};
  };
}

}  // namespace

Rule attention(const Inputs& in) {
  return [state = std::make_shared<Attention>(Attention{in})](std::size_t, std::int64_t i) { return state->at(i); };
}

Rule attention_groups(const Inputs& in) {
  return [state = std::make_shared<AttentionGroups>(AttentionGroups{in})](std::size_t, std::int64_t i) {
    return state->at(i);
  };
}

Rule gemm(const Inputs& in) { return product(in, lanes * in.number("warps"), in.number("warps") == 8 ? 64 : 32); }
Rule hgemm(const Inputs& in) { return in.number("warps") == 8 ? product(in, 128, 128) : product(in, 64, 32); }

Rule hgemm_groups(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    constexpr std::int64_t step = 64, of_group = 64;
    const std::int64_t cols = in.number("cols"), depth = in.number("depth");
    const auto width = in.one.call.grid[0] * cols, row = i / width, column = i % width;
    // The halves of a row in its block.
    const auto value = [&](std::size_t of, std::int64_t height, std::int64_t r, std::int64_t k) {
      return swizzled(in, of, (r / height * (depth / step) + k / step) * height + r % height, k % step);
    };
    const bool same = in.is("from", "shared");
    double sum = 0, size = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const double one = value(0, of_group, row, k) * value(1, cols, column, k);
      sum += one, size += std::abs(one);
    }
    const double times = same ? static_cast<double>(in.number("rounds")) : 1;
    return ExpectedNumber{times * sum, 1e-4 * times * size};
  };
}

// B is by rows of N.
Rule hgemm_naive(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t columns = in.number("x") * in.number("across"), depth = in.number("depth");
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += in.f16(0, i / columns * depth + k) * in.f16(1, k * columns + i % columns);
    return ExpectedNumber{sum, 2e-3 + 1e-4 * std::abs(sum)};
  };
}

Rule copy(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) { return exact(in.word(0, i)); };
}

Rule copy_hot(const Inputs& in) {
  return [in](std::size_t output, std::int64_t i) {
    if (output == 2) return exact(in.word(0, i));
    constexpr std::int64_t threads = 256, together = 2, words = 4;
    const std::int64_t lines = in.number("hot_mib") * 256;
    std::int64_t line = i / threads * together % lines;
    std::uint32_t sum = 0;
    for (std::int64_t round = 0; round < in.number("rounds"); ++round) {
      for (std::int64_t k = 0; k < together; ++k) {
        const std::int64_t first = ((line + k) * threads + i % threads) * words;
        sum += in.word(1, first) ^ in.word(1, first + 1) ^ in.word(1, first + 2) ^ in.word(1, first + 3);
      }
      line = (line + in.number("blocks") * together) % lines;
    }
    return exact(sum);
  };
}

Rule transpose(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t width = in.number("tiles") * 32;
    return exact(in.f32(0, i % width * width + i / width));
  };
}

Rule transpose_half(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) {
    const std::int64_t edge = in.number("tiles") * 64, row = i / (edge / 2), column = i % (edge / 2) * 2;
    return exact(
        static_cast<double>(in.bits(0, column * edge + row, 2) | in.bits(0, (column + 1) * edge + row, 2) << 16));
  };
}

// An even number of transpositions.
Rule transpose_shared(const Inputs& in) {
  return [in](std::size_t, std::int64_t i) { return exact(in.f32(0, i)); };
}

}  // namespace warpclock::testing
