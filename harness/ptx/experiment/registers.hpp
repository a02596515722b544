#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The registers of the operands in a kernel: w<operand><element>_<chain>. Those shared by all chains belong to chain
/// 0.
class OperandRegisters {
 public:
  OperandRegisters(const PtxInstruction& instruction, const Experiment& experiment)
      : instruction_(instruction), experiment_(experiment) {}

  [[nodiscard]] const Operand& operand(std::size_t i) const { return instruction_.operands[i]; }
  [[nodiscard]] std::size_t operands() const { return instruction_.operands.size(); }
  [[nodiscard]] bool in_register(std::size_t i) const { return operand(i).immediate.empty(); }

  [[nodiscard]] const Link* link() const { return experiment_.links.empty() ? nullptr : &experiment_.links.front(); }
  [[nodiscard]] bool is_linked(std::size_t i) const { return link() && link()->to == i; }
  [[nodiscard]] bool in_place() const { return warpclock::in_place(instruction_, experiment_); }

  /// Whether every chain has its own registers for this operand.
  [[nodiscard]] bool own(std::size_t i) const { return operand(i).written || is_linked(i); }
  /// The number of register sets of the operand.
  [[nodiscard]] int sets(std::size_t i) const { return own(i) ? experiment_.ilp : 1; }

  /// For a direct link, result and source are the same registers.
  [[nodiscard]] std::string name(std::size_t i, int element, int chain) const {
    if (in_place() && is_linked(i)) i = link()->from;
    if (!own(i)) chain = 0;
    return fmt::format("w{}{}_{}", operand(i).name, element, chain);
  }

  /// Whether the result's registers are also a narrower source, so that the remaining registers need a value.
  [[nodiscard]] bool is_wider_result(std::size_t i) const {
    return in_place() && link()->from == i && operand(link()->to).elements < operand(i).elements;
  }

  /// The registers of an operand in the first chains, element by element.
  template <class Act>
  void for_each_register(std::size_t i, int chains, Act act) const {
    for (int chain = 0; in_register(i) && chain < chains; ++chain) {
      for (int element = 0; element < operand(i).elements; ++element) act(operand(i), name(i, element, chain));
    }
  }

  /// Every register that the window reads before it writes it.
  template <class Act>
  void for_each_live(Act act) const {
    for (std::size_t i = 0; i < operands(); ++i) {
      if (operand(i).read || (operand(i).written && is_wider_result(i))) for_each_register(i, sets(i), act);
    }
  }

  /// The registers with the last values that the window wrote.
  template <class Act>
  void for_each_result(Act act) const {
    for (std::size_t i = 0; i < operands(); ++i) {
      const bool converted = is_linked(i) && !in_place();
      if (operand(i).written || converted) for_each_register(i, experiment_.ilp, act);
    }
  }

 protected:
  const PtxInstruction& instruction_;
  const Experiment& experiment_;
};

}  // namespace warpclock
