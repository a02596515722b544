#include "ptx/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/lookup.hpp"
#include "base/text.hpp"
#include "ptx/bind.hpp"
#include "ptx/form.hpp"
#include "ptx/types.hpp"

namespace warpclock {
namespace {

/// A position of an operand in the text. The same operand may have two.
struct Spot {
  std::size_t operand;
  Bound how;
};

class TextWriter {
 public:
  TextWriter(const PtxLine& line, bool apart, PtxInstruction& result) : line_(line), apart_(apart), result_(result) {}

  void write(const std::vector<Spot>& spots, std::optional<std::size_t> guard) {
    if (guard) {
      result_.guarded = true;
      fixed(line_.guard_negated ? "@!" : "@");
      element(*guard, 0);
      result_.text += "{" + result_.operands[*guard].name + "}";
      fixed(" ");
    }
    fixed(result_.mnemonic);
    for (std::size_t i = 0; i < spots.size(); ++i) {
      fixed(i == 0 ? " " : spots[i].how.pair ? "|" : ", ");
      write(spots[i]);
    }
  }

 private:
  void fixed(const std::string& text) {
    if (!result_.pieces.empty() && result_.pieces.back().operand < 0) {
      result_.pieces.back().text += text;
    } else {
      result_.pieces.push_back({text});
    }
    result_.text += text;
  }

  void element(std::size_t operand, int index) {
    result_.pieces.push_back({.operand = static_cast<int>(operand), .element = index});
  }

  void write(const Spot& spot) {
    const Operand& operand = result_.operands[spot.operand];
    fixed(spot.how.negated ? "!" : operand.address ? "[" : "");
    if (!operand.symbol.empty()) {
      const std::string before = result_.text;
      fixed(operand.immediate);
      result_.text = before + operand.symbol + operand.offset;
      // The offset in the variable makes no difference.
      if (operand.address) fixed("]");
      return;
    }
    if (!operand.immediate.empty()) {
      fixed(operand.immediate);
    } else {
      write_registers(spot, operand);
    }
    if (operand.address) fixed(operand.offset + "]");
  }

  void write_registers(const Spot& spot, const Operand& operand) {
    // The canonical text names an operand once, however many registers it has, unless braces make it a vector.
    const std::string before = result_.text;
    std::string names;
    bool repeated = false;
    if (operand.vector) fixed("{");
    for (int i = 0; i < operand.elements; ++i) {
      if (i > 0) fixed(", ");
      const int first = apart_ ? i : first_like(spot.how.registers, i);
      repeated |= first != i;
      element(spot.operand, first);
      names += fmt::format("{}{{{}{}}}", i > 0 ? ", " : "", operand.name, first);
    }
    if (operand.vector) fixed("}");
    if (!spot.how.suffix.empty()) fixed(spot.how.suffix);
    const bool each = spot.how.packed || repeated;
    result_.text = before + (each ? "{" + names + "}" : "{" + operand.name + "}") + spot.how.suffix;
  }

  /// The first element of a vector that is in the same register.
  static int first_like(const std::vector<std::string>& registers, int element) {
    const auto at = static_cast<std::size_t>(element);
    if (at >= registers.size()) return element;
    return static_cast<int>(std::ranges::find(registers, registers[at]) - registers.begin());
  }

  const PtxLine& line_;
  const bool apart_;
  PtxInstruction& result_;
};

/// Writes the text and the pieces of an instruction whose operands are known. `apart`: registers that occur twice are
/// written twice.
void write_text(const PtxLine& line, const std::vector<Spot>& spots, std::optional<std::size_t> guard, bool apart,
                PtxInstruction& result) {
  TextWriter(line, apart, result).write(spots, guard);
}

/// "gemm_param_3": the name that compilers give to a parameter of a kernel or function.
bool is_parameter(std::string_view name) {
  const std::size_t at = name.rfind("_param_");
  return at != std::string_view::npos && at + 7 < name.size() &&
         name.find_first_not_of("0123456789", at + 7) == std::string_view::npos;
}

/// A register as a compiler writes it, or a placeholder.
bool is_marked(const PtxTerm& term) {
  if (term.kind == PtxTerm::Kind::Placeholder) return true;
  if (term.kind == PtxTerm::Kind::Name) return term.text.starts_with('%') && !is_special_register(term.text);
  return std::ranges::any_of(term.items, is_marked);
}

bool is_unmarked(const PtxTerm& term) {
  return term.kind == PtxTerm::Kind::Name && !term.text.starts_with('%') && !term.text.starts_with('(') &&
         !is_special_register(term.text);
}

/// The space of a variable that is only named: shared memory has 32-bit addresses, and local memory has a fixed name.
std::string space_of(const Operand& operand) {
  if (is_parameter(operand.symbol)) return "param";
  if (operand.symbol.starts_with("__local_depot")) return "local";
  return operand.file == RegisterClass::B32 ? "shared" : "global";
}

/// Turns operands that name a variable into constants: the address of a variable of the kernel. Errors
/// "ptx-unsupported" for a parameter that a register points to, or that belongs to a called function.
Expected<void> bind_variables(const PtxLine& line, const std::vector<Match>& matches, std::vector<Bound>& bound) {
  bool marked = false;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    marked = marked || (bound[i].operand.immediate.empty() && is_marked(*matches[i].term));
  }
  for (std::size_t i = 0; i < matches.size(); ++i) {
    Operand& operand = bound[i].operand;
    const PtxTerm& term = operand.address ? matches[i].term->items.front() : *matches[i].term;
    const bool address =
        operand.address || (line.opcode == "mov" && operand.read && !operand.vector &&
                            (operand.file == RegisterClass::B32 || operand.file == RegisterClass::B64));
    // Names without a mark, if other names have one, are not registers but variables, whose addresses are constants.
    if (marked && address && is_unmarked(term) && operand.immediate.empty() && bound[i].suffix.empty()) {
      operand.symbol = term.text;
      operand.read = false;
      if (!operand.address) operand.space = space_of(operand);
      if (operand.space.empty()) operand.space = "global";
      if (operand.space == "param" && !is_parameter(operand.symbol)) {
        return fail("ptx-unsupported",
                    fmt::format("'{}' passes something to or from a called function, and where that is the compiler "
                                "decides with the call: only parameters of a kernel are measured",
                                operand.symbol),
                    place_of(term));
      }
      if (operand.space.starts_with("shared")) operand.space = "shared";
      operand.immediate = operand.space == "param" ? std::string(parameter_symbol) : symbol_name(operand.name);
    } else if (operand.address && operand.space == "param") {
      return fail("ptx-unsupported", "a parameter is only read by its name, as in [kernel_param_0]",
                  place_of(*matches[i].term));
    }
  }
  return {};
}

/// The entries of the table that apply to the modifiers: "FADD", or "f32:FADD" for f32.
std::vector<std::string> native_opcodes(const OpcodeRow& row, const std::vector<std::string>& modifiers) {
  std::vector<std::string> opcodes;
  for (const std::string& entry : row.sass) {
    const std::size_t colon = entry.rfind(':');
    const std::vector<std::string> conditions =
        colon == std::string::npos ? std::vector<std::string>{} : split(std::string_view(entry).substr(0, colon), ' ');
    if (!std::ranges::all_of(conditions, [&](const auto& words) { return fits(words, modifiers); })) continue;
    opcodes.push_back(entry.substr(colon == std::string::npos ? 0 : colon + 1));
  }
  return opcodes;
}

/// The size of the first operand other than the address. cp.async gives it as a constant.
std::int64_t bytes_moved(const std::vector<Match>& matches, const std::vector<Bound>& bound) {
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const Operand& operand = bound[i].operand;
    if (matches[i].slot.kind == Slot::Kind::Address) continue;
    if (matches[i].slot.kind != Slot::Kind::Constant)
      return std::int64_t{type_bits(operand.type) / 8} * operand.elements;
    return std::max<std::int64_t>(leading_number<std::int64_t>(operand.immediate).value_or(0), 0);
  }
  return 0;
}

class Describer {
 public:
  Describer(const PtxLine& line, const OpcodeRow& row, const Choices& choices, bool apart)
      : line_(line), row_(row), choices_(choices), apart_(apart) {}

  Expected<PtxInstruction> describe() {
    const auto matches = WARPCLOCK_TRY(match_operands(line_, row_));
    WARPCLOCK_TRY(bind(matches));
    WARPCLOCK_TRY(choose());
    result_.opcode = line_.opcode;
    result_.mnemonic = line_.mnemonic();
    result_.section = row_.section;
    result_.sass = native_opcodes(row_, line_.modifiers);
    result_.kind = row_.kind;
    write_text(line_, spots_, guard_, apart_, result_);
    return std::move(result_);
  }

 private:
  Expected<void> bind(const std::vector<Match>& matches) {
    std::vector<Bound> bound;
    for (const Match& match : matches) {
      auto one = WARPCLOCK_TRY(bind_operand(line_, match));
      if (one.placeholder) taken_.insert(one.operand.name);
      bound.push_back(std::move(one));
    }
    WARPCLOCK_TRY(bind_variables(line_, matches, bound));
    const std::int64_t moved = bytes_moved(matches, bound);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      Operand& operand = bound[i].operand;
      if (operand.address) operand.access_bytes = matches[i].slot.bytes < 0 ? moved : matches[i].slot.bytes;
      WARPCLOCK_TRY(add(std::move(bound[i]), place_of(*matches[i].term)));
    }
    guard();
    return {};
  }

  Expected<void> add(Bound bound, const std::string& place) {
    Operand& operand = bound.operand;
    if (const auto index = same_as(bound)) {
      Operand& same = result_.operands[*index];
      const bool alike = same.file == operand.file && same.elements == operand.elements &&
                         same.vector == operand.vector && !same.address && !operand.address && same.immediate.empty();
      if (!alike) {
        return fail("ptx",
                    fmt::format("operand '{}' is given twice, for things that no single register can be",
                                bound.placeholder ? same.name : join(bound.registers, ", ")),
                    place);
      }
      same.written = same.written || operand.written;
      same.read = same.read || operand.read;
      spots_.push_back({*index, std::move(bound)});
      return {};
    }
    if (const std::string both = common_with_others(bound); !both.empty()) {
      return fail("ptx-unsupported",
                  fmt::format("register {} is in two operands, and they are not the same registers: operands that "
                              "share a part are not measured",
                              both),
                  place);
    }
    if (!bound.placeholder) operand.name = unused(operand.name);
    result_.operands.push_back(operand);
    spots_.push_back({result_.operands.size() - 1, std::move(bound)});
    return {};
  }

  /// The operand that is in the same registers: a placeholder, or a register of a listing, that occurs twice.
  [[nodiscard]] std::optional<std::size_t> same_as(const Bound& bound) const {
    for (const Spot& spot : spots_) {
      const bool named = bound.placeholder && result_.operands[spot.operand].name == bound.operand.name;
      if (named || (are_one(spot, bound) && spot.how.registers == bound.registers)) return spot.operand;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string common_with_others(const Bound& bound) const {
    for (const Spot& spot : spots_) {
      const auto common = std::ranges::find_first_of(spot.how.registers, bound.registers);
      if (are_one(spot, bound) && common != spot.how.registers.end()) return *common;
    }
    return {};
  }

  /// Whether equal registers of a listing are one operand. A written register holds a new value and gets its own name:
  /// in `add.s32 %r1, %r1, %r2` the chain through %r1 goes from {d} to {a}. This does not apply under a guard, which
  /// may keep the old value.
  [[nodiscard]] bool are_one(const Spot& spot, const Bound& bound) const {
    const Operand& other = result_.operands[spot.operand];
    if (!other.immediate.empty() || !bound.operand.immediate.empty()) return false;
    if (apart_ || bound.registers.empty() || spot.how.placeholder || bound.placeholder) return false;
    return other.written == bound.operand.written || !line_.guard.empty();
  }

  std::string unused(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}{}", wanted, i);
    return name;
  }

  void guard() {
    if (line_.guard.empty()) return;
    // In `@{p} setp.lt.s32 {p}, ...` both are the same p.
    const auto same = std::ranges::find_if(spots_, [&](const Spot& spot) {
      if (spot.how.placeholder) return result_.operands[spot.operand].name == line_.guard;
      return !apart_ && spot.how.registers == std::vector{line_.guard};
    });
    // The guard starts true; otherwise nothing would be measured.
    const std::string open = line_.guard_negated ? "zero" : "one";
    if (same != spots_.end() && result_.operands[same->operand].type == "pred") {
      guard_ = same->operand;
      Operand& operand = result_.operands[*guard_];
      if (!operand.written) operand.value = open;
      operand.read = true;
      return;
    }
    guard_ = result_.operands.size();
    result_.operands.push_back({.name = unused(line_.guard.starts_with('%') ? "guard" : line_.guard),
                                .type = "pred",
                                .file = RegisterClass::Predicate,
                                .read = true,
                                .value = open});
  }

  Expected<Operand*> chosen(const std::string& name) {
    if (auto* found = find_by(result_.operands, name, &Operand::name)) return found;
    return fail("ptx", fmt::format("{} has no operand '{}'{}", line_.mnemonic(), name,
                                   hint(name, mapped(result_.operands, &Operand::name))));
  }

  Expected<void> choose() {
    for (const auto& [name, what] : choices_.operands) {
      const auto operand = WARPCLOCK_TRY(chosen(name));
      WARPCLOCK_TRY(choose_operand(*operand, what));
    }
    for (const auto& [name, value] : choices_.values) {
      const auto operand = WARPCLOCK_TRY(chosen(name));
      if (!operand->immediate.empty()) {
        return fail("ptx",
                    fmt::format("operand '{}' is the constant {}, which has no other value", name, operand->immediate));
      }
      if (!contains(value_names(), value)) {
        return fail("ptx", fmt::format("operand '{}': unknown value '{}'{}", name, value, hint(value, value_names())));
      }
      const bool of_phase = value == mbarrier_complete || value == mbarrier_pending;
      const bool waits = operand->address && !operand->value.empty();
      if (operand->address && !waits) {
        return fail("ptx", fmt::format("operand '{}' is an address, and has no value", name));
      }
      if (of_phase != waits) {
        return fail("ptx", waits ? fmt::format("operand '{}': the phase of an mbarrier is complete or pending", name)
                                 : fmt::format("operand '{}': '{}' is for the address of an mbarrier that the "
                                               "instruction waits for",
                                               name, value));
      }
      operand->value = value;
    }
    return {};
  }

  /// "imm:3" or a type.
  Expected<void> choose_operand(Operand& operand, const std::string& what) {
    const std::size_t index = static_cast<std::size_t>(&operand - result_.operands.data());
    const auto spot = std::ranges::find(spots_, index, &Spot::operand);
    if (what.starts_with("imm:")) {
      const std::string text = what.substr(4);
      if (!is_number(text) && !is_special_register(text)) {
        return fail("ptx", fmt::format("operand '{}': '{}' is not a constant of PTX", operand.name, text));
      }
      if (operand.written || operand.address || operand.vector || spot == spots_.end()) {
        return fail("ptx", fmt::format("operand '{}' cannot be a constant", operand.name));
      }
      operand.immediate = text;
      operand.value.clear();
      operand.read = false;
      return {};
    }
    if (type_bits(what) == 0) {
      return fail("ptx", fmt::format("operand '{}': '{}' is neither imm:<constant> nor a type{}", operand.name, what,
                                     did_you_mean(what, type_names())));
    }
    const bool released = spot != spots_.end() && spot->how.fixed;
    if (!operand.immediate.empty() && !released) {
      return fail("ptx",
                  fmt::format("operand '{}' is a constant, and has no register to be of type {}", operand.name, what));
    }
    if (released) operand.read = true;
    operand.immediate.clear();
    operand.type = what;
    operand.file = register_class(what);
    return {};
  }

  const PtxLine& line_;
  const OpcodeRow& row_;
  const Choices& choices_;
  const bool apart_;  ///< a register that occurs twice counts as several operands
  PtxInstruction result_;
  std::vector<Spot> spots_;
  std::set<std::string> taken_;
  std::optional<std::size_t> guard_;
};

}  // namespace

Expected<PtxInstruction> describe(const PtxLine& line, const OpcodeTable& table, const Choices& choices) {
  const auto row = WARPCLOCK_TRY(choose_row(line, table));
  return Describer(line, *row, choices, false).describe();
}

Expected<PtxInstruction> describe_apart(const PtxLine& line, const OpcodeTable& table) {
  const auto row = WARPCLOCK_TRY(choose_row(line, table));
  return Describer(line, *row, {}, true).describe();
}

Expected<void> registers_fit(const PtxLine& line, const OpcodeTable& table, const Choices& choices) {
  const auto row = WARPCLOCK_TRY(choose_row(line, table));
  const auto matches = WARPCLOCK_TRY(match_operands(line, *row));
  for (const Match& match : matches) {
    const auto bound = WARPCLOCK_TRY(bind_operand(line, match));
    if (!choices.operands.contains(bound.operand.name)) WARPCLOCK_TRY(fits_its_names(line, match, bound));
  }
  return {};
}

std::vector<MadeConstant> made_constant(const PtxLine& line, const OpcodeTable& table, const Choices& choices) {
  std::vector<MadeConstant> made;
  const Expected<const OpcodeRow*> row = choose_row(line, table);
  const auto matches = row ? match_operands(line, **row) : std::unexpected(row.error());
  if (!matches) return made;
  for (const Match& match : *matches) {
    const Expected<Bound> bound = bind_operand(line, match);
    const bool replaced = bound && !bound->operand.immediate.empty() && bound->registers.size() == 1;
    if (!replaced || choices.operands.contains(bound->operand.name)) continue;
    made.push_back({bound->registers.front(), bound->operand.immediate});
  }
  return made;
}

}  // namespace warpclock
