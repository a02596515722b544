#include "ptx/bind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "ptx/line.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// The part of a matrix that one thread holds.
struct Fragment {
  std::string type;  ///< of one register: "f16x2", "b32", "f32", "f64"
  int elements = 1;
};

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
  if (type == "e2m1") return contains(modifiers, "kind::mxf4") || contains(modifiers, "kind::mxf4nvf4") ? 4 : 8;
  return type_bits(type);
}

/// The fragment of matrix 'a', 'b', 'c' or 'd' for an mma, mma.sp, wmma.mma, wmma.load or wmma.store with these
/// modifiers (PTX ISA, "Matrix Fragments for mma" and "for wmma"): the elements of the shape, distributed over 32
/// threads. Error "ptx" without a place if the modifiers name no shape or no type for it.
Expected<Fragment> matrix_fragment(std::string_view opcode, const std::vector<std::string>& modifiers, char matrix) {
  std::vector<std::string> types;
  std::ranges::copy_if(modifiers, std::back_inserter(types), [](const auto& word) { return type_bits(word) > 0; });
  const auto* const shape = std::ranges::find_if(shapes, [&](const Shape& s) { return contains(modifiers, s.word); });
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
  if (matrix == 'a' && (contains(modifiers, "sp") || contains(modifiers, "sp::ordered_metadata"))) total /= 2;

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

using Kind = PtxTerm::Kind;

bool is_constant(const PtxTerm& term) {
  return term.kind == Kind::Immediate || (term.kind == Kind::Name && is_special_register(term.text));
}

bool is_register(const PtxTerm& term) {
  return term.kind == Kind::Placeholder ||
         (term.kind == Kind::Name && !is_constant(term) && !term.text.starts_with('('));
}

std::string_view describe_kind(const PtxTerm& term) {
  if (term.kind == Kind::Name && term.text.starts_with('(')) return "an expression in parentheses";
  if (term.kind == Kind::Name) return is_constant(term) ? "a special register" : "a register";
  constexpr std::array<std::string_view, 7> names{"a name",     "a placeholder",       "a constant", "a vector",
                                                  "an address", "two operands by '|'", "'_'"};
  return names[static_cast<std::size_t>(term.kind)];
}

class Binder {
 public:
  Binder(const PtxLine& line, const Match& match) : line_(line), slot_(match.slot), term_(*match.term) {}

  Expected<Bound> bind() {
    bound_.operand.name = slot_.name;
    bound_.operand.value = slot_.holds;
    bound_.pair = slot_.pair;
    bound_.negated = term_.negated;
    WARPCLOCK_TRY(expected_type());
    WARPCLOCK_TRY(take());
    if (term_.negated && bound_.operand.type != "pred") return wrong("only a predicate can follow '!'");
    const bool fixed_text = !bound_.operand.immediate.empty();
    bound_.operand.written = slot_.written && !fixed_text;
    bound_.operand.read = slot_.read && !fixed_text;
    if (fixed_text) bound_.operand.value.clear();
    bound_.registers = registers();
    return std::move(bound_);
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(std::string_view why) const {
    return fail("ptx", fmt::format("operand '{}': {}", slot_.name, why), place_of(term_));
  }
  [[nodiscard]] std::unexpected<Error> expected(std::string_view what) const {
    return wrong(fmt::format("expected {}, found {}", what, describe_kind(term_)));
  }

  [[nodiscard]] std::vector<std::string> registers() const {
    const bool one = term_.kind != Kind::Address && term_.kind != Kind::Vector;
    std::vector<std::string> names;
    for (const PtxTerm& item : one ? std::vector<PtxTerm>{term_} : term_.items) {
      if (!is_register(item)) continue;
      const std::string name = item.text.substr(0, item.text.find('.'));
      names.push_back(item.kind == Kind::Placeholder ? "{" + name + "}" : name);
    }
    return names;
  }

  Expected<void> take() {
    switch (slot_.kind) {
      case Slot::Kind::Address:
        return address();
      case Slot::Kind::Constant:
      case Slot::Kind::Fixed:
        return constant();
      default:
        return term_.kind == Kind::Vector ? vector() : single();
    }
  }

  /// Takes type, class and number of elements from the table.
  Expected<void> expected_type() {
    Operand& operand = bound_.operand;
    if (slot_.kind == Slot::Kind::Address) {
      operand.address = true;
      operand.space = space();
      // The window of shared memory also has 32-bit addresses, which its instructions take natively.
      operand.type = operand.space.starts_with("shared") ? "b32" : "b64";
    } else if (slot_.kind == Slot::Kind::Fragment) {
      const Expected<Fragment> fragment = matrix_fragment(line_.opcode, line_.modifiers, slot_.type[0]);
      if (!fragment) return wrong(fragment.error().text);
      operand.type = fragment->type;
      operand.elements = fragment->elements;
      operand.vector = true;
    } else {
      operand.type = WARPCLOCK_TRY(type_word());
      WARPCLOCK_TRY(count());
    }
    operand.file = register_class(operand.type);
    return {};
  }

  Expected<std::string> type_word() {
    const std::string word = slot_.kind == Slot::Kind::Pack ? "T" : slot_.type;
    if (type_bits(word) > 0) return word;
    std::vector<std::string> types;
    std::ranges::copy_if(line_.modifiers, std::back_inserter(types), [](const auto& m) { return type_bits(m) > 0; });
    const bool numbered = word.size() == 2 && word[0] == 'T';
    const std::size_t index = numbered ? static_cast<std::size_t>(word[1] - '0') : types.size() - 1;
    if (types.empty() || index >= types.size()) {
      constexpr std::array<std::string_view, 5> nth{"a", "a second", "a third", "a fourth", "a fifth"};
      return wrong(fmt::format("'{}' needs {} type among its modifiers", line_.mnemonic(),
                               nth[std::min(numbered ? index : 0, nth.size() - 1)]));
    }
    if (word != "wide") return types[index];
    const int size = 2 * type_bits(types[index]);
    const std::string wide = fmt::format("{}{}", types[index][0], size);
    if (type_bits(wide) == 0) return wrong(fmt::format("there is no type twice as wide as {}", types[index]));
    return wide;
  }

  Expected<void> count() {
    Operand& operand = bound_.operand;
    if (slot_.count.empty()) return {};
    if (slot_.count == "2" || slot_.count == "4") {
      operand.elements = slot_.count[0] - '0';
      operand.vector = true;
      return {};
    }
    const bool vector = slot_.count == "v";
    constexpr std::array<std::string_view, 3> vectors{"v2", "v4", "v8"};
    constexpr std::array<std::string_view, 3> matrices{"x1", "x2", "x4"};
    const auto& words = vector ? vectors : matrices;
    const auto found = std::ranges::find_first_of(line_.modifiers, words);
    if (found == line_.modifiers.end()) {
      return vector ? Expected<void>{}
                    : wrong(fmt::format("'{}' needs .x1, .x2 or .x4 among its modifiers", line_.mnemonic()));
    }
    operand.elements = ((*found)[1] - '0') * (slot_.count == "2x" ? 2 : 1);
    operand.vector = true;
    return {};
  }

  [[nodiscard]] std::string space() const {
    if (!slot_.space.empty()) return slot_.space;
    for (const std::string& word : line_.modifiers) {
      if (word == "global" || word == "local" || word == "const" || word == "shared::cluster") return word;
      if (word == "shared" || word == "shared::cta") return "shared";
      if (word == "param" || word.starts_with("param::")) return "param";
    }
    return {};
  }

  void name_of(const PtxTerm& term) {
    const std::size_t dot = std::min(term.text.find('.'), term.text.size());
    bound_.suffix = term.text.substr(dot);
    if (term.kind != Kind::Placeholder) return;
    bound_.operand.name = term.text.substr(0, dot);
    bound_.placeholder = true;
  }

  Expected<void> address() {
    if (term_.kind != Kind::Address || term_.items.empty()) return expected("an address, as in '[{a}]'");
    if (term_.items.size() > 1) return wrong("an address of several parts is not measured");
    const PtxTerm& base = term_.items.front();
    bound_.operand.offset = term_.offset;
    if (base.kind == Kind::Immediate) {
      bound_.operand.immediate = base.text;
    } else if (is_register(base)) {
      name_of(base);
    } else {
      return wrong(fmt::format("expected a register in the address, found {}", describe_kind(base)));
    }
    return {};
  }

  Expected<void> constant() {
    const bool fixed = slot_.kind == Slot::Kind::Fixed;
    bound_.fixed = fixed;
    if (const auto value = integer_of(term_.text);
        term_.kind == Kind::Immediate && value && std::cmp_greater(*value, slot_.most)) {
      return wrong(fmt::format("{} is larger than {}, the largest that it can be", term_.text, slot_.most));
    }
    if (term_.kind == Kind::Immediate || (fixed && is_constant(term_))) {
      bound_.operand.immediate = term_.text;
    } else if (term_.kind == Kind::Vector) {
      if (!slot_.value.starts_with('{')) return expected("a constant");
      return constants();
    } else if (term_.kind == Kind::Placeholder || (fixed && is_register(term_))) {
      bound_.operand.immediate = slot_.value;
    } else {
      return expected("a constant");
    }
    return {};
  }

  Expected<void> constants() {
    std::vector<std::string> texts;
    for (const PtxTerm& item : term_.items) {
      if (item.kind != Kind::Immediate) return wrong("registers and constants in one vector are not measured");
      texts.push_back(item.text);
    }
    bound_.operand.immediate = "{" + join(texts, ", ") + "}";
    return {};
  }

  Expected<void> single() {
    const Operand& operand = bound_.operand;
    const bool several = operand.elements > 1;
    if (term_.kind == Kind::Sink && slot_.written) {
      bound_.operand.immediate = "_";
    } else if (is_constant(term_) && slot_.written) {
      return wrong(fmt::format("it is written, and {} cannot be", describe_kind(term_)));
    } else if (is_constant(term_) && !operand.vector) {
      bound_.operand.immediate = term_.text;
    } else if (is_register(term_) && (!several || term_.kind == Kind::Placeholder)) {
      name_of(term_);
    } else if (operand.vector) {
      return expected(several ? fmt::format("{} registers in braces", operand.elements) : "a register in braces");
    } else {
      return expected(slot_.written ? "a register" : "a register or a constant");
    }
    return {};
  }

  Expected<void> vector() {
    Operand& operand = bound_.operand;
    const int given = static_cast<int>(term_.items.size());
    if (slot_.kind == Slot::Kind::Pack) {
      const int size = type_bits(operand.type) / given;
      if ((given != 2 && given != 4) || size < 16) {
        return wrong(fmt::format("{} does not come in {} parts that fit a register", operand.type, given));
      }
      operand.type = fmt::format("b{}", size);
      operand.file = register_class(operand.type);
      operand.elements = given;
      operand.vector = true;
      bound_.packed = true;
    } else if (!operand.vector) {
      return expected(slot_.written ? "one register" : "one register or constant");
    } else if (given != operand.elements) {
      return wrong(fmt::format("{} in braces, and '{}' takes {} here", given, line_.mnemonic(), operand.elements));
    }
    const auto registers = std::ranges::count_if(term_.items, is_register);
    if (registers == given) return {};
    if (slot_.written) return wrong("expected registers alone between these braces");
    return constants();
  }

  const PtxLine& line_;
  const Slot& slot_;
  const PtxTerm& term_;
  Bound bound_;
};

}  // namespace

Expected<void> fits_its_names(const PtxLine& line, const Match& match, const Bound& bound) {
  // Only these take registers wider than their type (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
  const bool wider = line.opcode == "ld" || line.opcode == "ldu" || line.opcode == "st" || line.opcode == "cvt";
  if (bound.operand.address || !bound.operand.immediate.empty() || wider) return {};
  for (const std::string& name : bound.registers) {
    const int size = bits_by_name(name), wanted = bits(bound.operand.file);
    if (size == 0 || size == wanted) continue;
    return fail("ptx",
                fmt::format("operand '{}': {} is the name of a register of {} bit{}, and '{}' takes one of {} here",
                            match.slot.name, name, size, size == 1 ? "" : "s", line.mnemonic(), wanted),
                place_of(*match.term));
  }
  return {};
}

Expected<Bound> bind_operand(const PtxLine& line, const Match& match) { return Binder(line, match).bind(); }

}  // namespace warpclock
