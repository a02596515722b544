#include "check/testing/expected_result.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "check/testing/rules.hpp"

namespace warpclock::testing {
namespace {

struct Known {
  Rule (*rule)(const Inputs&);
  std::vector<std::size_t> outputs;
};

const std::map<std::string, Known>& known_kernels() {
  static const std::map<std::string, Known> known = {
      {"attention", {attention, {3}}},
      {"attention_groups", {attention_groups, {3}}},
      {"chain", {chain, {1}}},
      {"copy", {copy, {1}}},
      {"copy_hot", {copy_hot, {2, 3}}},
      {"gemm", {gemm, {2}}},
      {"apply_gelu", {gelu, {1}}},
      {"hgemm", {hgemm, {2}}},
      {"hgemm_groups", {hgemm_groups, {2}}},
      {"hgemm_naive", {hgemm_naive, {2}}},
      {"relay", {relay, {0}}},
      {"sum_bulk", {sum_bulk, {1}}},
      {"histogram", {histogram, {1}}},
      {"layer_norm", {layer_norm, {3}}},
      {"pipeline", {pipeline, {1}}},
      {"reduce", {reduce, {1}}},
      {"reduce_block", {reduce_block, {1}}},
      {"registers", {registers, {1}}},
      {"saxpy", {saxpy, {1}}},
      {"scan", {scan, {1}}},
      {"softmax", {softmax, {1}}},
      {"sum", {sum, {1}}},
      {"transpose", {transpose, {1}}},
      {"transpose_half", {transpose_half, {1}}},
      {"transpose_shared", {transpose_shared, {1}}},
  };
  return known;
}

double of_half(std::uint64_t bits) {
  constexpr int mantissa = 10, bias = 15;
  const int exponent = static_cast<int>(bits >> mantissa & 0x1f);
  const auto fraction = static_cast<double>(bits & 0x3ff);
  const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                                    : std::ldexp(fraction + 0x400, exponent - bias - mantissa);
  return (bits & 0x8000) != 0 ? -size : size;
}

}  // namespace

double number_of(CallType type, std::uint64_t bits) {
  switch (type) {
    case CallType::F32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case CallType::F16:
      return of_half(bits);
    default:
      return static_cast<double>(bits);  // of unsigned integers, the only others that these kernels have
  }
}

ExpectedResult ExpectedResult::of(const KernelCase& one) {
  std::vector<std::vector<std::byte>> patterns;
  for (const CallArgument& argument : one.call.arguments)
    patterns.push_back(argument.bytes == 0 ? std::vector<std::byte>() : call_pattern(argument).value());
  ExpectedResult result;
  result.patterns_ = std::make_shared<const std::vector<std::vector<std::byte>>>(std::move(patterns));
  const Known& known = known_kernels().at(one.kernel);
  result.outputs_ = known.outputs;
  result.at_ = known.rule({one, result.patterns_});
  return result;
}

}  // namespace warpclock::testing
