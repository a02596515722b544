#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "code/modifiers.hpp"
#include "verify/claims.hpp"
#include "verify/wording.hpp"

namespace warpclock {
namespace {

enum class Fate { Read, Overwritten, Pending };

bool touches(const std::vector<Register>& registers, const auto& predicate) {
  return std::ranges::any_of(registers, predicate);
}

/// What happens to the result of the instruction at `index` before the closing read.
Fate fate_of(const Window& window, std::size_t index) {
  const DefUse& uses = window.uses;
  const std::vector<Register>& result = uses.effects[index - uses.first].writes;
  for (std::size_t i = index + 1; i < window.close; ++i) {
    const Effects& later = uses.effects[i - uses.first];
    if (touches(result, [&](Register reg) { return later.reads(reg); })) return Fate::Read;
    // The next instruction that writes the register waits for this write.
    if (touches(result, [&](Register reg) { return later.writes_to(reg); })) return Fate::Overwritten;
  }
  return Fate::Pending;
}

std::optional<std::string> pending_result(const Listing& listing, const Window& window) {
  bool any = false;
  for (std::size_t i = window.open + 1; i < window.close; ++i) {
    if (!window.measured_at(i) || window.uses.effects[i - window.uses.first].writes.empty()) continue;
    any = true;
    if (fate_of(window, i) != Fate::Pending) continue;
    return fmt::format("the closing read does not wait for {} of {}: no instruction before it reads the result",
                       to_string(window.uses.effects[i - window.uses.first].writes.front()), cite(listing, i));
  }
  if (any || window.last_measured() == window.open) return std::nullopt;
  return fmt::format(
      "{} writes no register that the closing read could wait for; the probe has to say how it closes "
      "(close: memory, or close: issue)",
      cite(listing, window.last_measured()));
}

bool waits_for_memory(const Instruction& instruction) {
  constexpr std::array<std::string_view, 4> barriers{"BAR", "ERRBAR", "MEMBAR", "UCGABAR_WAIT"};
  if (std::ranges::find(barriers, instruction.opcode) != barriers.end()) return true;
  // ptxas writes tcgen05.wait::st as FENCE.VIEW.*.T.
  if (instruction.opcode == "FENCE") return has_modifier(instruction, "VIEW") && has_modifier(instruction, "T");
  if (instruction.opcode == "SYNCS") return has_modifier(instruction, "PHASECHK");
  if (instruction.opcode != "DEPBAR" && !(instruction.opcode == "WARPGROUP" && has_modifier(instruction, "DEPBAR")))
    return false;
  // A count above zero leaves the youngest groups in flight.
  return instruction.operands.size() < 2 || instruction.operands[1] == "0x0";
}

std::optional<std::string> pending_memory(const Listing& listing, const Window& window) {
  const std::size_t last = window.last_measured();
  bool committed = listing.instructions[last].opcode != "LDGSTS";
  for (std::size_t i = std::max(last, window.open + 1); i < window.close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    committed |= instruction.opcode == "LDGDEPBAR";
    if (committed && waits_for_memory(instruction)) return std::nullopt;
    const bool load =
        i > last && variable_latency(instruction) && !window.uses.effects[i - window.uses.first].writes.empty();
    if (load && fate_of(window, i) == Fate::Read) return std::nullopt;
  }
  return fmt::format(
      "no wait for memory (DEPBAR to zero, BAR, MEMBAR, SYNCS.PHASECHK, or a load that is consumed) is "
      "between {} and the closing read",
      cite(listing, last));
}

}  // namespace

std::optional<std::string> why_open(const Listing& listing, const Window& window, const Expectation& expect) {
  switch (expect.close) {
    case Close::Result:
      return pending_result(listing, window);
    case Close::Memory:
      return pending_memory(listing, window);
    case Close::Issue:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> why_empties_l1(const Listing& listing, const Window& window) {
  const auto& code = listing.instructions;
  const auto keeps = [](const Instruction& one) {
    return (one.opcode == "LDG" || one.opcode == "LD" || one.opcode == "LDL") && uses_l1(one);
  };
  if (std::none_of(window.begin(), window.end(), keeps)) return std::nullopt;
  for (std::size_t i = window.close + 1; i < code.size(); ++i) {
    if (code[i].opcode == "BAR" || code[i].opcode == "UCGABAR_WAIT") return std::nullopt;
    if (code[i].opcode != "CCTL" || !has_modifier(code[i], "IVALL")) continue;
    return fmt::format("{} empties L1 behind the closing read: other warps may still load in their windows",
                       cite(listing, i));
  }
  return std::nullopt;
}

}  // namespace warpclock
