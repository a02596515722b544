#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/experiment/experiment.hpp"
#include "ptx/experiment/frame.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// How a register's bits are made from random ones: `(random & keep) | set`, 64 bits wide; narrower values are
/// repeated.
struct ValueMask {
  std::uint64_t keep = ~std::uint64_t{0}, set = 0;
  bool lane = false;  ///< the lane's number instead of random bits
};

/// For an element type ("f32", "f16x2", "u64", ...) in a register of class `file` and a word of value_names(); an empty
/// word is "random". For a type without floats, "denormal", "infinity" and "nan" mean "random".
[[nodiscard]] ValueMask value_mask(std::string_view type, RegisterClass file, std::string_view value);

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

inline constexpr int most_threads = 1024;  ///< of a block

/// Writes the statements that give the operands of an experiment their values and addresses before the window.
class InitialValues : OperandRegisters {
 public:
  InitialValues(const OperandRegisters& registers, Frame& frame) : OperandRegisters(registers), frame_(frame) {}

  void set_all();
  /// Reads local memory again after the window; otherwise it would be kept in registers.
  void read_back();

  [[nodiscard]] const std::string& globals() const { return globals_; }  ///< declarations outside of the kernel

 private:
  void set(std::size_t i, const std::string& reg);
  void set_pair(const std::string& pair, const std::string& low, const std::string& high);
  std::string masked(std::uint32_t keep, std::uint32_t set);
  void address(std::size_t i);
  void mbarrier(std::size_t i);
  [[nodiscard]] bool waits_for_odd_phase(std::size_t address) const;
  void for_other_chains(std::size_t i, const std::string& reg);
  std::string shared_place(const Operand& of, std::int64_t stride);
  std::string local_place(const Operand& of);
  std::string constant_place(const Operand& of);
  std::string global_place(std::int64_t stride);
  void fill(const Operand& of, const std::string& place, std::int64_t stride, bool follow, std::string_view space);

  Frame& frame_;
  std::string globals_;
  std::vector<std::string> local_places_;
  int places_ = 0;
};

}  // namespace warpclock
