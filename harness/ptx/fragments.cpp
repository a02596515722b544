#include "ptx/fragments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "ptx/types.hpp"

namespace warpclock {
namespace {

struct Shape {
  int m = 0, n = 0, k = 0;
};

std::optional<int> dimension(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || value > 256) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Shape> parse_shape(std::string_view word) {
  const auto m = dimension(word, 'm');
  const auto n = m ? dimension(word, 'n') : std::nullopt;
  const auto k = n ? dimension(word, 'k') : std::nullopt;
  if (!k || !word.empty()) return std::nullopt;
  return Shape{*m, *n, *k};
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The type of a matrix's elements: mma names d, a, b, c in this order; wmma.mma of f16 only d and c; loads one.
std::string element_type(const std::vector<std::string>& types, char matrix) {
  if (types.size() == 1) return types[0];
  if (types.size() == 2) return matrix == 'd' ? types[0] : matrix == 'c' ? types[1] : "f16";
  const std::size_t index = matrix == 'd' ? 0 : static_cast<std::size_t>(matrix - 'a') + 1;
  return index < types.size() ? types[index] : "";
}

int elements_of(const Shape& shape, char matrix) {
  if (matrix == 'a') return shape.m * shape.k;
  return matrix == 'b' ? shape.k * shape.n : shape.m * shape.n;
}

/// Bits that an element takes in a fragment.
int stored_bits(const std::string& type, const std::vector<std::string>& modifiers) {
  // The 8-bit and narrower formats share one container unless the instruction is for 4-bit formats alone.
  if (type == "e2m1") return has(modifiers, "kind::mxf4") || has(modifiers, "kind::mxf4nvf4") ? 4 : 8;
  return type_bits(type);
}

}  // namespace

Expected<Fragment> matrix_fragment(std::string_view opcode, const std::vector<std::string>& modifiers, char matrix) {
  std::optional<Shape> shape;
  std::vector<std::string> types;
  for (const std::string& modifier : modifiers) {
    if (!shape) shape = parse_shape(modifier);
    if (type_bits(modifier) > 0) types.push_back(modifier);
  }
  if (!shape) return fail("ptx", fmt::format("{} needs a shape like m16n8k16", opcode));
  const std::string type = element_type(types, matrix);
  if (type.empty()) return fail("ptx", fmt::format("{} names no type for the matrix {}", opcode, matrix));
  const int bits = stored_bits(type, modifiers);
  int total = elements_of(*shape, matrix) * bits;

  const bool input = matrix == 'a' || matrix == 'b';
  const bool f16 = type == "f16";
  const bool wmma = opcode == "wmma";
  // Four small products at once, one for each quad pair.
  const bool quads = !wmma && shape->m == 8 && shape->n == 8 && shape->k == 4 && type != "f64";
  if (quads) total *= 4;
  // PTX ISA, "Matrix Fragments for WMMA": f16 factors are eight registers whatever the shape.
  if (wmma && input && f16) total = 2 * 16 * 16 * bits;
  if (matrix == 'a' && (has(modifiers, "sp") || has(modifiers, "sp::ordered_metadata"))) total /= 2;

  Fragment fragment;
  if (type == "f64" || bits == 32) {
    fragment.type = type;
  } else {
    fragment.type = f16 || type == "bf16" ? type + "x2" : "b32";
  }
  fragment.elements = std::max(1, total / (32 * type_bits(fragment.type)));
  return fragment;
}

}  // namespace warpclock
