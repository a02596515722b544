#include <fmt/format.h>

#include "verify/wording.hpp"

namespace warpclock {
namespace {

bool has_window(const Listing& listing, const Verdict& verdict) {
  return verdict.open < verdict.close && verdict.close < listing.instructions.size();
}

/// "0,5" of bits 0 and 5.
std::string scoreboard_list(unsigned mask) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    if (mask >> i & 1) text += fmt::format("{}{}", text.empty() ? "" : ",", i);
  }
  return text;
}

std::string scoreboard(int which) { return which < 0 ? "-" : fmt::format("{}", which); }

}  // namespace

std::string show_window(const Listing& listing, const Verdict& verdict) {
  if (!has_window(listing, verdict)) return {};
  std::string text = "address  stall  yield  W  R  wait   SASS\n";
  for (std::size_t i = verdict.open; i <= verdict.close; ++i) {
    const Instruction& instruction = listing.instructions[i];
    const Control& control = instruction.control;
    const std::string wait = scoreboard_list(control.wait_mask);
    text += fmt::format("{:06x}   {:5}  {:5}  {}  {}  {:5}  {}\n", instruction.address, control.stall,
                        control.yield ? "yes" : "-", scoreboard(control.write_barrier),
                        scoreboard(control.read_barrier), wait.empty() ? "-" : wait, code_of(instruction));
  }
  return text;
}

}  // namespace warpclock
