#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "code/listing.hpp"

namespace warpclock {

inline constexpr std::size_t register_banks = 2;  ///< the bank of a register is its number modulo 2

/// A register that is read from its bank only if the warp has lost what it kept: another warp has issued since the
/// instruction that flagged it, so many instructions before.
struct KeptRead {
  std::size_t bank = 0;
  int age = 0;

  bool operator==(const KeptRead&) const = default;
};

/// Registers that an instruction reads from each bank, a register that several operands name once.
struct BankReads {
  std::array<int, register_banks> of_bank{};
  std::vector<KeptRead> kept;

  bool operator==(const BankReads&) const = default;
};

/// What reuse flags keep of the registers that a warp reads: for each position of an operand, one register of each
/// bank. A flagged register stays until an operand in its position is another register of its bank, or is itself
/// without a flag (docs/findings.md, "What reuse flags keep").
class ReuseCache {
 public:
  /// Takes the instruction that follows those before it. Of memory, jumps and the XU: none are read or kept. A multiply
  /// of two passes reads its factors in both.
  [[nodiscard]] BankReads read(const Instruction& instruction, bool two_passes = false);
  void clear() { kept_ = {}; }

 private:
  struct Kept {
    int index = -1;
    int since = 0;  ///< the number of the instruction that flagged it
  };

  static constexpr std::size_t positions = 3;
  std::array<std::array<Kept, register_banks>, positions> kept_{};
  int number_ = 0;  ///< of the instruction
};

}  // namespace warpclock
