#include "ptx/experiment/values.hpp"

#include <array>

namespace warpclock {
namespace {

struct Format {
  std::string_view prefix;        ///< of the type's name
  int width;                      ///< bits of one value
  std::uint64_t fraction, one;    ///< mask of the fraction, bits of 1.0
  std::uint64_t infinity, quiet;  ///< bits of infinity (the largest number if the format has none) and of a NaN
};

// IEEE 754 and OCP "8-bit floating point" encodings. A type such as f16x2 matches by its prefix f16.
constexpr std::array<Format, 7> formats{{
    {"f64", 64, 0x000fffffffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000},
    {"f32", 32, 0x007fffff, 0x3f800000, 0x7f800000, 0x7fc00000},
    {"tf32", 32, 0x007fe000, 0x3f800000, 0x7f800000, 0x7fc00000},
    {"f16", 16, 0x03ff, 0x3c00, 0x7c00, 0x7e00},
    {"bf16", 16, 0x007f, 0x3f80, 0x7f80, 0x7fc0},
    {"e4m3", 8, 0x07, 0x38, 0x7e, 0x7f},
    {"e5m2", 8, 0x03, 0x3c, 0x7c, 0x7e},
}};

std::uint64_t repeated(std::uint64_t bits, int width) {
  for (int have = width; have < 64; have *= 2) bits |= bits << have;
  return bits;
}

const Format* format_of(std::string_view type) {
  for (const Format& format : formats) {
    if (type.starts_with(format.prefix)) return &format;
  }
  return nullptr;
}

// A one in every value of the register, including packed integers ("u16x2").
std::uint64_t integer_one(std::string_view type, RegisterClass file) {
  int width = file == RegisterClass::B64 || file == RegisterClass::B128 ? 64 : bits(file);
  if (type.ends_with("16x2")) width = 16;
  if (type.ends_with("8x4")) width = 8;
  return repeated(1, width < 8 ? 64 : width);
}

}  // namespace

ValueMask value_mask(std::string_view type, RegisterClass file, std::string_view value) {
  if (value == "bits") return {};
  if (value == "lane") return {.keep = 0, .set = 0, .lane = true};
  if (value == "zero") return {.keep = 0, .set = 0};
  const Format* format = format_of(type);
  if (format == nullptr) {
    if (value == "one") return {.keep = 0, .set = integer_one(type, file)};
    return {};
  }
  const auto all = [&](std::uint64_t bits) { return repeated(bits, format->width); };
  if (value == "one") return {.keep = 0, .set = all(format->one)};
  if (value == "denormal") return {.keep = all(format->fraction), .set = all(1)};
  if (value == "infinity") return {.keep = 0, .set = all(format->infinity)};
  if (value == "nan") return {.keep = 0, .set = all(format->quiet)};
  return {.keep = all(format->fraction), .set = all(format->one)};
}

}  // namespace warpclock
