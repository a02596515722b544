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
    Barrier,           ///< B0, of convergence
    Scoreboard,        ///< SB0
    Number,            ///< an immediate, an offset, a bank of constants
  };

  Kind kind = Kind::Number;
  bool last = false;       ///< RZ, URZ, PT, UPT: the number is all ones, as wide as its field
  std::int64_t value = 0;  ///< 0 where `last`
  bool reuse = false;      ///< ".reuse" stands behind it: the register stays in the operand's cache
  int operand = -1;        ///< which operand of the instruction it is in; -1 is the guard

  bool operator==(const Numeral&) const = default;
};

/// The text of a machine instruction, taken apart. Two words of one skeleton differ in their numerals alone.
struct Skeleton {
  /// "@# IADD3 #, #, -#, #": the text with a '#' for each numeral. A guard and the offset of an address stand there
  /// even where the text leaves them out ("@PT", "+0x0"); what is no integer (1.5, 2, +INF) stays as it is.
  std::string text;
  std::vector<Numeral> numerals;  ///< in the order of the text; the first is the guard

  bool operator==(const Skeleton&) const = default;
};

/// "FFMA R0, R1, R2.reuse, 1.5", as nvdisasm prints it. Any text has a skeleton.
[[nodiscard]] Skeleton skeleton_of(std::string_view text);

/// The text with its numerals again, guard and offsets included: "@PT IADD3 R8, R8, -R9, RZ".
[[nodiscard]] std::string text_of(const Skeleton& skeleton);

}  // namespace warpclock
