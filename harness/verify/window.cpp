#include "verify/window.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "code/listing.hpp"

namespace warpclock {
bool is_exclusive_or(const Instruction& instruction) {
  if (instruction.opcode != "LOP3" || !instruction.predicate.empty()) return false;
  // The truth tables of a^b, a^c, b^c and a^b^c.
  constexpr std::array<std::string_view, 4> tables{"0x3c", "0x5a", "0x66", "0x96"};
  return std::ranges::any_of(instruction.operands, [&](const std::string& operand) {
    return std::ranges::find(tables, operand) != tables.end();
  });
}

std::vector<std::size_t> clock_reads(const Listing& listing) {
  constexpr std::array<std::string_view, 4> opcodes{"CS2R", "S2R", "S2UR", "CS2UR"};
  std::vector<std::size_t> reads;
  for (std::size_t i = 0; i < listing.instructions.size(); ++i) {
    const Instruction& instruction = listing.instructions[i];
    if (std::ranges::find(opcodes, instruction.opcode) == opcodes.end() || instruction.operands.empty()) continue;
    if (instruction.operands.back().starts_with("SR_CLOCK")) reads.push_back(i);
  }
  return reads;
}

bool is_no_operation(const Instruction& instruction) {
  if (instruction.opcode == "NOP") return true;
  return instruction.opcode == "UIADD3" && instruction.predicate == "!UPT" && instruction.operands.size() >= 4 &&
         std::ranges::all_of(instruction.operands, [](const std::string& o) { return o == "URZ" || o == "UPT"; });
}

Window::Window(const Listing& listing, std::size_t opening, std::size_t closing, const Expectation& expect)
    : open(opening),
      close(closing),
      uses(def_use(listing, opening + 1, closing)),
      code_(listing.instructions),
      last_measured_(opening) {
  for (std::size_t i = open + 1; i < close; ++i) {
    target.push_back(matches_any(code_[i], expect.target));
    measured.push_back(target.back() || matches_any(code_[i], expect.required));
    if (measured.back()) last_measured_ = i;
  }
  find_consumers();
}

bool Window::is_padding(std::size_t index) const {
  return is_no_operation(code_[index]) && index - 1 > open && code_[index - 1].control.stall >= saturated_stall;
}

void Window::find_consumers() {
  consumer_.assign(measured.size(), false);
  for (std::size_t i = last_measured_ + 1; i < close; ++i) {
    if (!is_exclusive_or(code_[i])) continue;
    const auto& producers = uses.producers[i - uses.first];
    consumer_[i - uses.first] = std::ranges::any_of(producers, [](const auto& of_one) { return !of_one.empty(); });
  }
}

}  // namespace warpclock
