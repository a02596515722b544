#include "predict/tensor_clock.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "code/semantics.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {
namespace {

/// The type of the rows for a multiplication, as `wgmma/clock` names it; empty for mma.sync.
std::string type_of(const Instruction& instruction) {
  if (!is_group_multiply(instruction.opcode)) return {};
  if (instruction.opcode == "QGMMA") return "e4m3";
  if (instruction.opcode == "IGMMA") return "s8";
  return has_modifier(instruction, "TF32") ? "tf32" : "f16";
}

bool is_product(const Instruction& instruction) {
  return is_group_multiply(instruction.opcode) || instruction.opcode == "HMMA" || instruction.opcode == "QMMA" ||
         instruction.opcode == "IMMA";
}

/// MHz by the part of the highest rate.
std::map<double, double> clocks_of(const Machine& machine, const std::string& type) {
  std::map<double, double> by_rate;
  for (const Entry& entry : machine.clocks) {
    if (!entry.name.starts_with("sm.wgmma." + type + ".")) continue;
    const Leaf *rate = find_leaf(entry, "rate"), *mhz = find_leaf(entry, "mhz");
    if (rate != nullptr && mhz != nullptr && rate->value > 0) by_rate[rate->value] = mhz->value;
  }
  std::map<double, double> by_share;
  for (const auto& [rate, mhz] : by_rate) by_share[rate / by_rate.rbegin()->first] = mhz;
  return by_share;
}

}  // namespace

std::optional<double> tensor_clock(const Machine& machine, const Listing& listing, double share) {
  const auto found = std::ranges::find_if(listing.instructions, is_product);
  if (found == listing.instructions.end() || share <= 0) return 1;
  const Leaf *idle = find_leaf(machine, "clocks/sm/mhz"), *by_mma = find_leaf(machine, "clocks/sm.tensor/mhz");
  if (idle == nullptr || idle->value <= 0) return std::nullopt;
  const std::string type = type_of(*found);
  std::map<double, double> clocks = clocks_of(machine, type);
  if (type.empty() && by_mma != nullptr) clocks[1] = by_mma->value;
  if (clocks.empty()) return std::nullopt;
  // With fewer multiplies than the first row has, the clock is taken to be as low until there is none.
  return std::min(1.0, on_line(clocks, share) / idle->value);
}

}  // namespace warpclock
