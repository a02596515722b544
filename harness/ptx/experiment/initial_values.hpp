#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/experiment/frame.hpp"
#include "ptx/experiment/registers.hpp"

namespace warpclock {

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
