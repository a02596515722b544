#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "check/testing/expected_result.hpp"

namespace warpclock::testing {

inline constexpr std::int64_t lanes = 32;

/// A case's parameters and what its buffers hold before the launch.
struct Inputs {
  const KernelCase& one;
  std::shared_ptr<const std::vector<std::vector<std::byte>>> patterns;

  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise = 0) const {
    const Value* value = find(one.parameters, name);
    return value == nullptr ? otherwise : std::get<std::int64_t>(*value);
  }
  [[nodiscard]] bool is(std::string_view name, std::string_view word) const {
    const Value* value = find(one.parameters, name);
    return value != nullptr && to_string(*value) == word;
  }
  [[nodiscard]] std::uint64_t bits(std::size_t argument, std::int64_t element, std::int64_t size) const {
    const auto& pattern = (*patterns)[argument];
    std::uint64_t bits = 0;
    const auto bytes = static_cast<std::size_t>(size);
    std::memcpy(&bits, pattern.data() + static_cast<std::size_t>(element) * bytes % pattern.size(), bytes);
    return bits;
  }
  [[nodiscard]] std::uint32_t word(std::size_t argument, std::int64_t element) const {
    return static_cast<std::uint32_t>(bits(argument, element, 4));
  }
  [[nodiscard]] float f32(std::size_t argument, std::int64_t element) const {
    return std::bit_cast<float>(word(argument, element));
  }
  [[nodiscard]] double f16(std::size_t argument, std::int64_t element) const {
    return number_of(CallType::F16, bits(argument, element, 2));
  }
};

[[nodiscard]] inline ExpectedNumber exact(double value) { return {value, 0}; }

/// What is expected of an element of an output.
using Rule = std::function<ExpectedNumber(std::size_t output, std::int64_t element)>;

[[nodiscard]] Rule attention(const Inputs& in);
[[nodiscard]] Rule attention_groups(const Inputs& in);
[[nodiscard]] Rule gemm(const Inputs& in);
[[nodiscard]] Rule hgemm(const Inputs& in);
[[nodiscard]] Rule hgemm_groups(const Inputs& in);
[[nodiscard]] Rule hgemm_naive(const Inputs& in);
[[nodiscard]] Rule relay(const Inputs& in);
[[nodiscard]] Rule sum_bulk(const Inputs& in);
[[nodiscard]] Rule chain(const Inputs& in);
[[nodiscard]] Rule copy(const Inputs& in);
[[nodiscard]] Rule copy_hot(const Inputs& in);
[[nodiscard]] Rule transpose(const Inputs& in);
[[nodiscard]] Rule transpose_half(const Inputs& in);
[[nodiscard]] Rule transpose_shared(const Inputs& in);
[[nodiscard]] Rule reduce(const Inputs& in);
[[nodiscard]] Rule reduce_block(const Inputs& in);
[[nodiscard]] Rule registers(const Inputs& in);
[[nodiscard]] Rule pipeline(const Inputs& in);
[[nodiscard]] Rule saxpy(const Inputs& in);
[[nodiscard]] Rule sum(const Inputs& in);
[[nodiscard]] Rule histogram(const Inputs& in);
[[nodiscard]] Rule softmax(const Inputs& in);
[[nodiscard]] Rule layer_norm(const Inputs& in);
[[nodiscard]] Rule gelu(const Inputs& in);
[[nodiscard]] Rule scan(const Inputs& in);

}  // namespace warpclock::testing
