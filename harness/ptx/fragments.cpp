#include "ptx/fragments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "ptx/types.hpp"

namespace warpclock {
namespace {

struct Shape {
  std::string_view word;
  int m = 0, n = 0, k = 0;
};

// PTX ISA, "Matrix Shape": shapes of mma, of wmma, of both.
constexpr std::array<Shape, 15> shapes{{{"m8n8k4", 8, 8, 4},
                                        {"m8n8k16", 8, 8, 16},
                                        {"m8n8k32", 8, 8, 32},
                                        {"m8n8k128", 8, 8, 128},
                                        {"m16n8k4", 16, 8, 4},
                                        {"m16n8k8", 16, 8, 8},
                                        {"m16n8k16", 16, 8, 16},
                                        {"m16n8k32", 16, 8, 32},
                                        {"m16n8k64", 16, 8, 64},
                                        {"m16n8k128", 16, 8, 128},
                                        {"m16n8k256", 16, 8, 256},
                                        {"m16n16k8", 16, 16, 8},
                                        {"m16n16k16", 16, 16, 16},
                                        {"m32n8k16", 32, 8, 16},
                                        {"m8n32k16", 8, 32, 16}}};

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The element type of a matrix. mma names d, a, b, c in this order; wmma.mma of f16 only d and c; loads name one.
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

/// The bits that an element occupies in a fragment.
int stored_bits(const std::string& type, const std::vector<std::string>& modifiers) {
  // Formats of 8 bits and less share one container, unless the instruction is only for 4-bit formats.
  if (type == "e2m1") return has(modifiers, "kind::mxf4") || has(modifiers, "kind::mxf4nvf4") ? 4 : 8;
  return type_bits(type);
}

}  // namespace

Expected<Fragment> matrix_fragment(std::string_view opcode, const std::vector<std::string>& modifiers, char matrix) {
  std::vector<std::string> types;
  std::ranges::copy_if(modifiers, std::back_inserter(types), [](const auto& word) { return type_bits(word) > 0; });
  const auto* const shape = std::ranges::find_if(shapes, [&](const Shape& s) { return has(modifiers, s.word); });
  if (shape == shapes.end()) return fail("ptx", fmt::format("{} needs a shape like m16n8k16", opcode));
  const std::string type = element_type(types, matrix);
  if (type.empty()) return fail("ptx", fmt::format("{} names no type for the matrix {}", opcode, matrix));
  const int bits = stored_bits(type, modifiers);
  int total = elements_of(*shape, matrix) * bits;

  const bool input = matrix == 'a' || matrix == 'b';
  const bool f16 = type == "f16";
  const bool wmma = opcode == "wmma";
  // These are four small products at once, one for each quad pair.
  const bool quads = !wmma && shape->m == 8 && shape->n == 8 && shape->k == 4 && type != "f64";
  if (quads) total *= 4;
  // PTX ISA, "Matrix Fragments for WMMA": f16 factors occupy eight registers for every shape.
  if (wmma && input && f16) total = 2 * 16 * 16 * bits;
  if (matrix == 'a' && (has(modifiers, "sp") || has(modifiers, "sp::ordered_metadata"))) total /= 2;

  Fragment fragment;
  if (type == "f64" || bits == 32) {
    fragment.type = type;
  } else {
    fragment.type = f16 || type == "bf16" ? type + "x2" : "b32";
  }
  const int whole = 32 * type_bits(fragment.type);
  if (total % whole != 0) {
    return fail("ptx", fmt::format("{} elements of {} do not fill the registers of 32 threads", shape->word, type));
  }
  fragment.elements = total / whole;
  return fragment;
}

}  // namespace warpclock
