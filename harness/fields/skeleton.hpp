#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpclock {

/// A number in the text of a machine instruction.
struct Numeral {
  enum class Kind : std::uint8_t {
    Register,          ///< R0 to R254
    UniformRegister,   ///< UR0 to UR62, to UR254 on newer architectures
    Predicate,         ///< P0 to P6
    UniformPredicate,  ///< UP0 to UP6
    Barrier,           ///< B0, a convergence barrier
    Scoreboard,        ///< SB0
    Number,            ///< an immediate, an offset, a constant bank
  };

  Kind kind = Kind::Number;
  bool last = false;       ///< RZ, URZ, PT, UPT: all bits of the field are ones
  std::int64_t value = 0;  ///< 0 if `last`
  bool reuse = false;      ///< followed by ".reuse": the register stays in the operand reuse cache
  int operand = -1;        ///< the operand of the instruction that contains it; -1 is the guard

  bool operator==(const Numeral&) const = default;
};

/// The text of a machine instruction, taken apart. Two words with the same skeleton differ only in their numerals.
struct Skeleton {
  /// "@# IADD3 #, #, -#, #": the text with a '#' for each numeral. A guard and the offset of an address are there even
  /// if the text leaves them out ("@PT", "+0x0"). Numbers that are no integers (1.5, 2, +INF) stay as they are.
  std::string text;
  std::vector<Numeral> numerals;  ///< in the order of the text; the first is the guard

  bool operator==(const Skeleton&) const = default;
};

/// The skeleton of "FFMA R0, R1, R2.reuse, 1.5", as nvdisasm prints it. Any text has a skeleton.
[[nodiscard]] Skeleton skeleton_of(std::string_view text);

/// The text with its numerals put back, including guard and offsets: "@PT IADD3 R8, R8, -R9, RZ".
[[nodiscard]] std::string text_of(const Skeleton& skeleton);

}  // namespace warpclock
