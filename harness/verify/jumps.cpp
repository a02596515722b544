#include <fmt/format.h>

#include <vector>

#include "code/flow.hpp"
#include "verify/claims.hpp"
#include "verify/wording.hpp"

namespace warpclock {

std::optional<std::string> why_not_straight(const Listing& listing, const Window& window, const Expectation& expect) {
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    if (!is_jump(instruction) || (expect.calls && instruction.opcode == "CALL")) continue;
    const bool from_inside = window.holds(i);
    const std::size_t to = target_index(listing, instruction);
    const bool to_inside = window.holds(to) || to == window.close;
    if (from_inside && !(expect.loop && to_inside)) {
      return fmt::format("{} leaves the straight path between the clock reads{}", cite(listing, i),
                         expect.loop ? "" : " (the probe declares no loop)");
    }
    if (!from_inside && to_inside) {
      return fmt::format("{} jumps into the window, past the opening read", cite(listing, i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> why_outside_of_loop(const Listing& listing, const Window& window) {
  std::vector<bool> repeated(window.target.size(), false);
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (!is_jump(listing.instructions[i])) continue;
    const std::size_t to = target_index(listing, listing.instructions[i]);
    for (std::size_t k = to; window.holds(to) && k <= i; ++k) repeated[k - window.open - 1] = true;
  }
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    if (!window.target[i] || repeated[i]) continue;
    return fmt::format(
        "{} is outside of the window's loops: ptxas moved it out (is its result unused, or the same in every "
        "trip?)",
        cite(listing, window.open + 1 + i));
  }
  return std::nullopt;
}

}  // namespace warpclock
