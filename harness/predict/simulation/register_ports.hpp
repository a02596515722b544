#pragma once

#include <array>
#include <cstdint>

#include "predict/program/register_use.hpp"

namespace warpclock {

/// The cycles in which the registers of a sub-partition are read and written for instructions that have issued.
class RegisterPorts {
 public:
  /// Cycles for which an instruction that issues in this cycle, not before the last one, holds up what follows until
  /// its registers are read.
  [[nodiscard]] int held_by_reads(const RegisterUse& use, std::int64_t now) const;

  /// Whether a bank is too busy for the tensor core to begin: instructions issued in both of the cycles before that
  /// read one register of it, or one of them is read in this cycle and another one in the cycle before.
  [[nodiscard]] bool just_read(std::int64_t now) const;

  /// Whether its results can be written.
  [[nodiscard]] bool can_write(const RegisterUse& use, std::int64_t now) const;

  /// Reads as if it issued in the first cycle, and writes as if in the second one.
  void take(const RegisterUse& use, std::int64_t read, std::int64_t now);

 private:
  /// Of one bank: cycles in which it is read, and pairs of cycles in one of which it is.
  struct Bank {
    std::uint64_t read = 0, either = 0;
    std::uint64_t tensor = 0;  ///< the cycles of read in which the tensor core reads
    std::uint64_t asked = 0;   ///< in which it would be read if it were free
    std::uint64_t late = 0;    ///< in which it is read for an instruction that issued before

    /// Takes the first free cycle from this one on, and returns it.
    int take_from(int cycle);
  };

  /// Cycles by which the tensor core begins to read later, `by` cycles after first_.
  [[nodiscard]] int behind(const RegisterUse& use, std::int64_t by) const;

  /// Takes the cycles in which registers are read for an instruction, and returns the last one; `from` without any.
  static int last_read(Bank& bank, int reads, int from);

  std::array<Bank, register_banks> banks_{};
  std::uint64_t written_ = 0;
  std::int64_t first_ = -2;  ///< the cycle of bit 0, two before the last issue
};

}  // namespace warpclock
