#include "ptx/canonical_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace warpclock {
namespace {

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

}  // namespace

void write_text(const PtxLine& line, const std::vector<Spot>& spots, std::optional<std::size_t> guard, bool apart,
                PtxInstruction& result) {
  TextWriter(line, apart, result).write(spots, guard);
}

}  // namespace warpclock
