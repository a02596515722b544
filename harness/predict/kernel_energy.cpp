#include "predict/kernel_energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "code/semantics.hpp"
#include "predict/memory/memory_plan.hpp"
#include "predict/program/costs.hpp"

namespace warpclock {
namespace {

constexpr double lanes = 32, sector_bytes = 32, joule_per_pj = 1e-12;

/// The multiply-adds of a warp's instruction, of which those of a warp group have a quarter; 0 if its shape is not
/// known.
double products_of(const Instruction& instruction) {
  constexpr std::array<std::pair<std::string_view, double>, 6> shapes = {{{"16816", 16 * 8 * 16},
                                                                          {"1688", 16 * 8 * 8},
                                                                          {"16832", 16 * 8 * 32},
                                                                          {"1684", 16 * 8 * 4},
                                                                          {"8816", 8 * 8 * 16},
                                                                          {"884", 8 * 8 * 4}}};
  for (const auto& [modifier, products] : shapes)
    if (has_modifier(instruction, modifier)) return products;
  for (const std::string& modifier : instruction.modifiers) {
    const auto sides = split(modifier, 'x');
    if (sides.size() != 3) continue;
    const double all = std::transform_reduce(sides.begin(), sides.end(), 1.0, std::multiplies{},
                                             [](const std::string& side) { return std::atof(side.c_str()); });
    return is_group_multiply(instruction.opcode) ? all / group_warps : all;
  }
  return 0;
}

/// "mma.tf32", "wgmma.e4m3": the entry of a product of matrices; empty if it is none.
std::string product_entry(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  const bool group = is_group_multiply(opcode);
  if (!group && !opcode.ends_with("MMA")) return {};
  std::string type = has_modifier(instruction, "TF32") ? "tf32" : has_modifier(instruction, "BF16") ? "bf16" : "f16";
  if (opcode.front() == 'I') type = "s8";
  if (opcode.front() == 'Q') type = "e4m3";
  if (opcode.front() == 'D') type = "f64";
  if (opcode.front() == 'B') type = "b1";
  if (has_modifier(instruction, "SP")) type += ".sparse";
  return (group ? "wgmma." : "mma.") + type;
}

bool is_shared_load(const Instruction& one) { return one.opcode == "LDS" || one.opcode == "LDSM"; }
bool is_shared_store(const Instruction& one) { return one.opcode == "STS" || one.opcode == "STSM"; }

/// An amount of something that the model has an energy of.
struct Use {
  std::string entry, name;
  double amount = 0;
};

struct Energies {
  const Leaf &random, &zeros;
};

std::optional<Energies> energies_of(const Entry& entry) {
  const Leaf *random = find_leaf(entry, "energy.random"), *zeros = find_leaf(entry, "energy.zeros");
  if (random == nullptr || zeros == nullptr) return std::nullopt;
  return Energies{*random, *zeros};
}

class KernelEnergy {
 public:
  KernelEnergy(const Machine& machine, const Prediction& prediction) : machine_(machine), prediction_(prediction) {
    for (const Entry& entry : machine.energy) {
      const auto energy = energies_of(entry);
      if (!energy || energy->random.unit != "pJ") continue;
      least_ = most_ > 0 ? std::min(least_, energy->zeros.value) : energy->zeros.value;
      most_ = std::max(most_, energy->random.value);
    }
  }

  [[nodiscard]] std::optional<PredictedEnergy> make(const Listing& listing) {
    const Leaf* const mhz = find_leaf(machine_, "clocks/sm/mhz");
    const Leaf *one_sm = find_leaf(machine_, "energy/board/power.one_sm"),
               *all_sms = find_leaf(machine_, "energy/board/power.all_sms");
    if (mhz == nullptr || one_sm == nullptr || all_sms == nullptr || !prediction_.low) return std::nullopt;
    const double cycles = (*prediction_.low + *prediction_.high) / 2 + prediction_.drain;
    out_.seconds = cycles / (mhz->value * prediction_.clock_part.value_or(1) * 1e6);
    const double sms = std::min<double>(static_cast<double>(prediction_.blocks), prediction_.sms);
    const double busy = prediction_.sms > 1 ? (sms - 1) / (prediction_.sms - 1) : 1;
    add_part("the board meanwhile", out_.seconds * std::lerp(one_sm->value, all_sms->value, busy));
    out_.low_j = out_.high_j = out_.joules;
    for (std::size_t i = 0; i < prediction_.instructions.size(); ++i)
      if (prediction_.instructions[i].executed > 0) add(listing.instructions[i], prediction_.instructions[i]);
    if (!out_.missing.empty()) return PredictedEnergy{.missing = out_.missing};
    std::ranges::stable_sort(out_.parts, std::ranges::greater{}, &EnergyPart::joules);
    return std::move(out_);
  }

 private:
  void add(const Instruction& instruction, const AnnotatedInstruction& seen) {
    std::vector<Use> uses = memory_uses(instruction, seen);
    if (const std::string entry = product_entry(instruction); !entry.empty()) {
      uses.push_back({entry, entry, products_of(instruction)});
      if (uses.back().amount == 0) out_.missing = instruction.name();
    }
    const bool by_lanes = uses.empty();
    if (by_lanes) uses.push_back({lane_entry(instruction), instruction.opcode, lanes});
    for (const Use& use : uses) {
      const double amount = use.amount * seen.executed * joule_per_pj;
      if (!(amount > 0)) continue;
      const Entry* const entry = find_entry(machine_, "energy", use.entry);
      const auto energy = entry != nullptr ? energies_of(*entry) : std::nullopt;
      if (energy)
        add_measured(use.name, amount, *energy);
      else if (by_lanes)
        add_unmeasured(use.name, amount);
      else
        out_.missing = instruction.name();  // nothing bounds what its bytes or products take
    }
  }

  /// The entry of an instruction that each lane executes by itself.
  static std::string lane_entry(const Instruction& instruction) {
    std::string entry = to_lower(instruction.opcode);
    return instruction.opcode == "IMAD" && has_modifier(instruction, "WIDE") ? entry + "_wide" : entry;
  }

  static std::vector<Use> memory_uses(const Instruction& instruction, const AnnotatedInstruction& seen) {
    const int bytes = 4 * registers_of(Width::Size, instruction);
    const double all = lanes * bytes;
    const auto shared = [&](const char* by) {
      return Use{fmt::format("shared.{}.{}", by, bytes > 4 ? 16 : 4), "shared memory", all};
    };
    if (is_shared_load(instruction)) return {shared("ld")};
    if (is_shared_store(instruction)) return {shared("st")};
    if (!seen.l2 && !seen.dram && !is_global(instruction)) return {};
    const bool stores = instruction.opcode == "STG" || instruction.opcode == "ST" || instruction.opcode == "RED";
    const std::string by = stores ? ".st" : ".ld";
    const double dram = seen.dram.value_or(0), l2 = std::max(seen.l2.value_or(0) - dram, 0.0);
    const double l1 = std::max(seen.l1.value_or(all / sector_bytes) - l2 - dram, 0.0);
    std::vector<Use> uses = {{"dram" + by, "DRAM", dram * sector_bytes}, {"l2" + by, "L2", l2 * sector_bytes}};
    if (!stores) uses.push_back({"l1.ld", "L1", l1 * sector_bytes});
    if (instruction.opcode == "LDGSTS") uses.push_back(shared("st"));
    return uses;
  }

  void add_measured(const std::string& name, double amount, const Energies& energy) {
    add_part(name, amount * energy.random.value);
    out_.low_j += amount * std::min(energy.zeros.low, energy.random.low);
    out_.high_j += amount * std::max(energy.zeros.high, energy.random.high);
  }

  /// What no row has is taken to be as much as the cheapest instruction that was measured, and at most the dearest.
  void add_unmeasured(const std::string& name, double amount) {
    if (std::ranges::find(out_.unmeasured, name) == out_.unmeasured.end()) out_.unmeasured.push_back(name);
    add_part("unmeasured instructions", amount * least_);
    out_.high_j += amount * most_;
  }

  void add_part(const std::string& name, double joules) {
    const auto same = std::ranges::find(out_.parts, name, &EnergyPart::name);
    EnergyPart& part = same != out_.parts.end() ? *same : out_.parts.emplace_back(EnergyPart{name});
    part.joules += joules, out_.joules += joules;
  }

  const Machine& machine_;
  const Prediction& prediction_;
  double least_ = 0, most_ = 0;  ///< pJ of a lane: the cheapest instruction with zeros, and the dearest
  PredictedEnergy out_;
};

}  // namespace

std::optional<PredictedEnergy> kernel_energy(const Machine& machine, const Listing& listing,
                                             const Prediction& prediction) {
  return KernelEnergy(machine, prediction).make(listing);
}

}  // namespace warpclock
