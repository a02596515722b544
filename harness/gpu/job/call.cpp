#include "gpu/job/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace warpclock {
namespace {

constexpr std::int64_t address_bytes = 8;
constexpr std::int64_t period_bytes = 4 << 20;  // a large buffer then costs a copy on the device and not an upload

/// The finaliser of MurmurHash3: every bit of the index affects every bit of the word.
std::uint64_t random_bits(std::uint64_t index) {
  std::uint64_t v = index + 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 33)) * 0xff51afd7ed558ccdU;
  v = (v ^ (v >> 33)) * 0xc4ceb9fe1a85ec53U;
  return v ^ (v >> 33);
}

/// IEEE 754 binary16, rounded to even; beyond its range infinity.
std::uint16_t half_of(double value) {
  constexpr int bias = 15, mantissa = 10, least = 1 - bias;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(value);
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  const int unit = std::max(exponent - 1, least) - mantissa;
  const double count = std::nearbyint(std::ldexp(size, -unit));
  const int exponents = exponent - 1 >= least ? exponent - 1 + bias - 1 : 0;
  const double bits = std::ldexp(exponents, mantissa) + count;  // a carry of the count raises the exponent
  constexpr double infinite = 0x7c00;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::min(bits, infinite)));
}

std::uint32_t bfloat_of(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return (bits + 0x7fff + (bits >> 16 & 1U)) >> 16;
}

bool is_float(CallType type) {
  return type == CallType::F32 || type == CallType::F16 || type == CallType::Bf16 || type == CallType::F64;
}

std::uint64_t element(const CallArgument& argument, std::int64_t index) {
  switch (argument.fill) {
    case CallFill::Zeros:
      return 0;
    case CallFill::Ones:
      return bits_of(argument.type, 1);
    case CallFill::Iota:
      return bits_of(argument.type, static_cast<double>(index));
    case CallFill::Random:
      break;
  }
  const std::uint64_t random = random_bits(static_cast<std::uint64_t>(index));
  constexpr int kept = 24;
  return is_float(argument.type) ? bits_of(argument.type, std::ldexp(static_cast<double>(random >> 40), 1 - kept) - 1)
                                 : random;
}

}  // namespace

const std::vector<std::string>& call_fill_names() {
  static const std::vector<std::string> names = {"zeros", "ones", "iota", "random"};
  return names;
}

const std::vector<std::string>& call_type_names() {
  static const std::vector<std::string> names = {"f32", "f16", "bf16", "f64", "i32", "u32", "i64", "u64", "i8", "u8"};
  return names;
}

std::int64_t bytes_of(CallType type) {
  constexpr std::array<std::int64_t, 10> bytes = {4, 2, 2, 8, 4, 4, 8, 8, 1, 1};
  return bytes.at(static_cast<std::size_t>(type));
}

std::uint64_t bits_of(CallType type, double value) {
  switch (type) {
    case CallType::F32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case CallType::F16:
      return half_of(value);
    case CallType::Bf16:
      return bfloat_of(value);
    case CallType::F64:
      return std::bit_cast<std::uint64_t>(value);
    default:
      break;
  }
  constexpr double most = 0x1p63;
  const auto bits = value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(std::max(value, -most)))
                              : static_cast<std::uint64_t>(std::min(value, most));
  constexpr std::int64_t byte = 8;
  const std::int64_t width = byte * bytes_of(type);
  return width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

namespace {

std::vector<ArgumentPlace> argument_places(const Call& call) {
  std::vector<ArgumentPlace> places;
  std::size_t end = 0;
  for (const CallArgument& argument : call.arguments) {
    const auto size = static_cast<std::size_t>(argument.bytes == 0 ? bytes_of(argument.type) : address_bytes);
    const std::size_t at = (end + size - 1) / size * size;
    places.push_back({at, size});
    end = at + size;
  }
  return places;
}

}  // namespace

std::vector<std::byte> packed_arguments(const Call& call, const std::vector<std::uint64_t>& addresses) {
  const auto places = argument_places(call);
  std::vector<std::byte> packed(places.empty() ? 0 : places.back().at + places.back().size);
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    const std::uint64_t value = argument.bytes == 0 ? bits_of(argument.type, argument.value) : addresses.at(buffer++);
    std::memcpy(packed.data() + places[i].at, &value, places[i].size);
  }
  return packed;
}

Expected<std::vector<std::byte>> call_pattern(const CallArgument& argument) {
  const std::int64_t size = bytes_of(argument.type);
  if (argument.bytes <= 0 || argument.bytes % size != 0)
    return fail("data", fmt::format("a buffer of {} bytes has no whole number of {}", argument.bytes,
                                    call_type_names()[static_cast<std::size_t>(argument.type)]));
  const bool whole = argument.fill == CallFill::Iota;
  const std::int64_t bytes = whole ? argument.bytes : std::min(argument.bytes, period_bytes);
  std::vector<std::byte> pattern(static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0; i * size < bytes; ++i) {
    const std::uint64_t bits = element(argument, i);
    std::memcpy(pattern.data() + i * size, &bits, static_cast<std::size_t>(size));
  }
  return pattern;
}

}  // namespace warpclock
