#include <algorithm>
#include <string_view>

#include "code/modifiers.hpp"
#include "code/semantics.hpp"

namespace warpclock {
namespace {

struct Shape {
  int m = 0, n = 0, k = 0;
};

int extent(std::string_view digits) { return parse_number(digits).value_or(0); }

/// "16816", "884" (warp level: N is 8) or "64x128x16", "8x8x4"; zeros for anything else.
Shape parse_shape(std::string_view modifier) {
  if (const std::size_t first = modifier.find('x'); first != std::string_view::npos) {
    const std::size_t second = modifier.find('x', first + 1);
    if (second == std::string_view::npos) return {};
    return {extent(modifier.substr(0, first)), extent(modifier.substr(first + 1, second - first - 1)),
            extent(modifier.substr(second + 1))};
  }
  if (modifier.starts_with("168")) return {16, 8, extent(modifier.substr(3))};
  if (modifier.starts_with("88")) return {8, 8, extent(modifier.substr(2))};
  return {};
}

int element_bits(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode.starts_with('D')) return 64;
  if (opcode.starts_with('B')) return 1;
  if (opcode.starts_with('O')) return 4;
  if (opcode.starts_with('Q')) return 8;  // six-bit and four-bit types occupy bytes
  if (opcode.starts_with('I')) return has_modifier(instruction, "S4") || has_modifier(instruction, "U4") ? 4 : 8;
  return has_modifier(instruction, "TF32") ? 32 : 16;
}

int result_bits(const Instruction& instruction) {
  if (instruction.opcode.starts_with('D')) return 64;
  if (instruction.opcode.starts_with('I') || instruction.opcode.starts_with('B')) return 32;
  return has_modifier(instruction, "F32") ? 32 : 16;
}

/// The 32-bit registers per thread that hold `elements` of `bits` spread over `threads`.
int registers(int elements, int bits, int threads) { return std::clamp(elements * bits / (threads * 32), 1, 254); }

}  // namespace

Fragments fragments_of(const Instruction& instruction) {
  Shape shape;
  for (const std::string& modifier : instruction.modifiers) {
    if (shape.k == 0) shape = parse_shape(modifier);
  }
  const auto sane = [](int extent) { return extent > 0 && extent <= 512; };
  if (!sane(shape.m) || !sane(shape.n) || !sane(shape.k)) return {.d = 4, .a = 4, .b = 2, .c = 4};
  const int bits = element_bits(instruction), out = result_bits(instruction);
  const int threads = shape.m == 64 ? 128 : 32;  // only a warpgroup multiply has M = 64
  const int dense_a = shape.m * shape.k / (has_modifier(instruction, "SP") ? 2 : 1);
  const int result = registers(shape.m * shape.n, out, threads);
  return {.d = result,
          .a = registers(dense_a, bits, threads),
          .b = registers(shape.k * shape.n, bits, threads),
          .c = result};
}

}  // namespace warpclock
