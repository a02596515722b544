#include "inspect/jit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "inspect/inspect.hpp"

namespace warpclock {
namespace {

/// A kernel with what `inspect` says of it.
struct Side {
  const Listing* listing = nullptr;
  const KernelInspection* facts = nullptr;
};

std::map<std::string, Side> sides_of(const LoadedFile& file, const Inspection& inspection) {
  std::map<std::string, Side> all;
  for (std::size_t i = 0; i < file.kernels.size(); ++i)
    all[file.kernels[i].listing.kernel] = {&file.kernels[i].listing, &inspection.kernels[i]};
  return all;
}

CodeNeeds needs_of(const KernelInspection& kernel) {
  return {.instructions = kernel.mix.instructions,
          .registers = kernel.registers,
          .stack_bytes = kernel.stack_bytes,
          .spill_bytes = kernel.spills.load_bytes + kernel.spills.store_bytes};
}

std::vector<OpcodeCounts> differing_opcodes(const Listing& ptxas, const Listing& driver) {
  std::map<std::string, OpcodeCounts> counts;
  for (const Instruction& each : ptxas.instructions) ++counts[each.name()].ptxas;
  for (const Instruction& each : driver.instructions) ++counts[each.name()].driver;
  std::vector<OpcodeCounts> differing;
  for (auto& [opcode, count] : counts) {
    count.opcode = opcode;
    if (count.ptxas != count.driver) differing.push_back(count);
  }
  return differing;
}

CodeDifference difference_of(const Instruction& a, const Instruction& b) {
  const Word first{a.low, a.high}, second{b.low, b.high};
  if (first == second) return CodeDifference::Same;
  if (with_control(first, {}) == with_control(second, {})) return CodeDifference::Control;
  return a.name() == b.name() ? CodeDifference::Operands : CodeDifference::Instructions;
}

std::string scoreboard_text(std::string_view name, int scoreboard) {
  return scoreboard < 0 ? std::string() : fmt::format(", {} {}", name, scoreboard);
}

/// "S2R R5, SR_TID.X [stall 7, write 0]"; empty past the end.
std::string line_of(const KernelInspection& kernel, std::size_t at) {
  if (at >= kernel.listing.size()) return {};
  const ListedInstruction& each = kernel.listing[at];
  return fmt::format("{} [stall {}{}{}{}{}]", each.text, each.stall, each.yield ? ", yield" : "",
                     scoreboard_text("write", each.write), scoreboard_text("read", each.read),
                     each.wait.empty() ? "" : ", wait " + each.wait);
}

KernelComparison compared(const std::string& name, const Side& ptxas, const Side& driver) {
  KernelComparison out{.kernel = name};
  if (ptxas.facts != nullptr) out.ptxas = needs_of(*ptxas.facts);
  if (driver.facts != nullptr) out.driver = needs_of(*driver.facts);
  if (ptxas.facts == nullptr || driver.facts == nullptr) {
    out.difference = ptxas.facts != nullptr ? CodeDifference::OnlyPtxas : CodeDifference::OnlyDriver;
    return out;
  }
  const auto &a = ptxas.listing->instructions, &b = driver.listing->instructions;
  out.opcodes = differing_opcodes(*ptxas.listing, *driver.listing);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const bool both = i < a.size() && i < b.size();
    const CodeDifference here = both ? difference_of(a[i], b[i]) : CodeDifference::Instructions;
    if (here == CodeDifference::Same) continue;
    ++out.differing;
    if (here > out.difference) {
      out.difference = here;
      const auto address = static_cast<std::int64_t>(i < a.size() ? a[i].address : b[i].address);
      out.first = {address, line_of(*ptxas.facts, i), line_of(*driver.facts, i)};
    }
  }
  return out;
}

}  // namespace

Expected<std::vector<KernelComparison>> compare_code(const LoadedFile& ptxas, const LoadedFile& driver) {
  const auto ptxas_facts = WARPCLOCK_TRY(inspect("by ptxas", ptxas, {}));
  const auto driver_facts = WARPCLOCK_TRY(inspect("by the driver", driver, {}));
  const auto by_ptxas = sides_of(ptxas, ptxas_facts);
  auto by_driver = sides_of(driver, driver_facts);
  std::vector<KernelComparison> kernels;
  for (const auto& [name, side] : by_ptxas) {
    kernels.push_back(compared(name, side, by_driver[name]));
    by_driver.erase(name);
  }
  for (const auto& [name, side] : by_driver) kernels.push_back(compared(name, {}, side));
  return kernels;
}

bool all_same(const JitComparison& comparison) {
  return std::ranges::all_of(comparison.targets, [](const JitTarget& target) {
    return target.refused.empty() && std::ranges::all_of(target.kernels, [](const KernelComparison& kernel) {
             return kernel.difference == CodeDifference::Same;
           });
  });
}

}  // namespace warpclock
