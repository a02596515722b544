#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "compose/filling.hpp"
#include "fields/form.hpp"

namespace warpclock {

/// A form that moves a value from one register to another.
struct Mover {
  const WordForm* form = nullptr;  ///< null if the architecture has none
  std::size_t to = 0, from = 0;    ///< its numerals
  int source = 0;                  ///< the source operand that contains `from`

  explicit operator bool() const { return form != nullptr; }
};

/// Movers between the register files of one architecture, and what else composing must know about all its forms.
struct Movers {
  Mover vector;          ///< MOV R, R
  Mover to_uniform;      ///< R2UR UR, R
  Mover from_uniform;    ///< MOV R, UR
  Mover to_predicate;    ///< ISETP P, PT, R, RZ, PT
  Mover from_predicate;  ///< SEL R, R, R, P
  const WordForm* any_bit =
      nullptr;                     ///< LOP3.LUT P, RZ, R, mask, RZ, 0xc0, !PT: whether the register has a bit of a mask
  const WordForm* lean = nullptr;  ///< LOP3.LUT R, R, mask, R, function, !PT
  const WordForm* count = nullptr;    ///< IADD3 R, R, number, RZ
  const WordForm* barrier = nullptr;  ///< BAR.SYNC 0
  Mover to_uniform_predicate;         ///< UISETP UP, UPT, UR, URZ, UPT
  Mover from_uniform_predicate;       ///< PLOP3.LUT P, PT, PT, PT, UP: UP or its opposite
  std::vector<Mover> adders;  ///< they move a register and change it, on different pipes: IADD3, IMAD, HADD2, FADD
  /// For the multiplies of warp groups: WARPGROUP.ARRIVE, WARPGROUP.DEPBAR, and by key those that end a batch (gsb0).
  const WordForm *arrive = nullptr, *wait = nullptr;
  std::map<std::string, const WordForm*, std::less<>> committing;
  std::set<std::string, std::less<>> scoreboards;  ///< opcodes with a form whose result is signalled by a scoreboard
};

/// How the text of a multiply of a warp group ends if it ends a batch.
constexpr std::string_view ends_batch = ", gsb0";

/// Whether a scoreboard signals the form's result. The word that ptxas made may not set one if nothing waits for it.
[[nodiscard]] bool has_scoreboard(const WordForm& form, const Movers& movers);

[[nodiscard]] Movers movers_among(std::span<const WordForm> forms);

/// The instruction that sets a predicate if register `from` has any bit of the mask. Error "compose" if there is none.
[[nodiscard]] Expected<Copy> any_bit_of(const Movers& movers, int predicate, int from, std::uint32_t mask);

/// The instruction that leaves an address as it is, but waits for `result`: address = (result & 0) | address. Error
/// "compose" if there is none.
[[nodiscard]] Expected<Copy> leaned_on(const Movers& movers, int address, int result);

/// The instruction that adds a number to a register. Error "compose" if there is none.
[[nodiscard]] Expected<Copy> counted_by(const Movers& movers, int counter, int number);

/// The barrier at which the warps of the block meet. Error "compose" if there is none.
[[nodiscard]] Expected<Copy> meeting(const Movers& movers);

/// The instruction that leaves a register as it is where a predicate holds, and makes it 0 elsewhere. Error "compose"
/// if there is none.
[[nodiscard]] Expected<Copy> chosen_or_zero(const Movers& movers, int to, int predicate);

/// The instruction that moves register `from` to register `to`; a negative number is the sink. Error "compose" without
/// a mover.
[[nodiscard]] Expected<Copy> moved_by(const Mover& mover, int to, int from);

}  // namespace warpclock
