#include <fmt/format.h>

#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "gpu/job/statistics.hpp"
#include "inspect/inspect.hpp"
#include "inspect/inspection_output.hpp"
#include "inspect/jit.hpp"

namespace warpclock {

void describe(auto& a, Like<CodeNeeds> auto& v) {
  WARPCLOCK_REQUIRED(instructions, registers, stack_bytes, spill_bytes);
}

void describe(auto& a, Like<OpcodeCounts> auto& v) { WARPCLOCK_REQUIRED(opcode, ptxas, driver); }

void describe(auto& a, Like<DifferingInstruction> auto& v) { WARPCLOCK_REQUIRED(address, ptxas, driver); }

void describe(auto& a, Like<KernelComparison> auto& v) {
  WARPCLOCK_REQUIRED(kernel, difference, ptxas, driver);
  WARPCLOCK_OPTIONAL(differing, opcodes, first);
}

void describe(auto& a, Like<JitTarget> auto& v) {
  WARPCLOCK_REQUIRED(target, ptxas_arch);
  WARPCLOCK_OPTIONAL(driver_arch);
  WARPCLOCK_REQUIRED(ptxas_ms);
  WARPCLOCK_OPTIONAL(jit_ms, load_ms, refused);
  WARPCLOCK_REQUIRED(kernels);
}

void describe(auto& a, Like<JitComparison> auto& v) { WARPCLOCK_REQUIRED(file, gpu, driver, ptxas, targets); }

namespace {

std::string ms_text(const std::vector<double>& times) {
  const auto sorted = sorted_finite(times);
  if (sorted.empty()) return "not measured";
  return fmt::format("{} ms ({} to {})", human_number(median(sorted)), human_number(sorted.front()),
                     human_number(sorted.back()));
}

std::string verdict_text(const KernelComparison& kernel) {
  switch (kernel.difference) {
    case CodeDifference::Same:
      return "same machine code";
    case CodeDifference::Control:
      return "only control fields differ, in " + counted(kernel.differing, "instruction");
    case CodeDifference::Operands:
      return "same opcodes, other operands in " + counted(kernel.differing, "instruction");
    case CodeDifference::Instructions:
      return "other instructions, from " + address_text(kernel.first->address) + " on";
    case CodeDifference::OnlyPtxas:
      return "only ptxas has it";
    case CodeDifference::OnlyDriver:
      return "only the driver has it";
  }
  return {};
}

/// "24 and 26 instructions, 10 registers"; what is 0 on both sides is left out.
std::string needs_text(const CodeNeeds& ptxas, const CodeNeeds& driver) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t a, std::int64_t b, std::string_view noun) {
    if (a == 0 && b == 0) return;
    parts.push_back(a == b ? counted(a, noun) : fmt::format("{} and {}", a, counted(b, noun)));
  };
  add(ptxas.instructions, driver.instructions, "instruction");
  add(ptxas.registers, driver.registers, "register");
  add(ptxas.stack_bytes, driver.stack_bytes, "byte");
  if (ptxas.stack_bytes + driver.stack_bytes > 0) parts.back() += " of stack";
  add(ptxas.spill_bytes, driver.spill_bytes, "byte");
  if (ptxas.spill_bytes + driver.spill_bytes > 0) parts.back() += " of spills";
  return join(parts, ", ");
}

std::string kernel_lines(const KernelComparison& kernel, const Style& style) {
  const bool same = kernel.difference == CodeDifference::Same;
  const std::string verdict = verdict_text(kernel);
  const bool alone = kernel.difference >= CodeDifference::OnlyPtxas;
  const CodeNeeds& first = kernel.difference == CodeDifference::OnlyDriver ? kernel.driver : kernel.ptxas;
  std::string out = fmt::format("  {}: {}; {}\n", style.bold(readable_name(kernel.kernel)),
                                same ? style.green(verdict) : style.yellow(verdict),
                                needs_text(first, alone ? first : kernel.driver));
  if (kernel.first)
    out += fmt::format("    {}  ptxas   {}\n            driver  {}\n", address_text(kernel.first->address),
                       kernel.first->ptxas.empty() ? "-" : kernel.first->ptxas,
                       kernel.first->driver.empty() ? "-" : kernel.first->driver);
  std::vector<std::string> counts;
  for (const OpcodeCounts& each : kernel.opcodes)
    counts.push_back(fmt::format("{} {} and {}", each.opcode, each.ptxas, each.driver));
  if (!counts.empty()) out += fmt::format("    counts  {}\n", join(counts, ", "));
  return out;
}

std::string target_lines(const JitTarget& target, const Style& style) {
  std::string out = fmt::format("\nPTX for {}\n  ptxas   {}: {}\n", style.bold(target.target), target.ptxas_arch,
                                ms_text(target.ptxas_ms));
  if (!target.refused.empty()) return out + fmt::format("  driver  {}\n", style.red(target.refused));
  out += fmt::format("  driver  {}: {} to assemble and load, {} to load the cubin\n", target.driver_arch,
                     ms_text(target.jit_ms), ms_text(target.load_ms));
  for (const KernelComparison& kernel : target.kernels) out += kernel_lines(kernel, style);
  return out;
}

}  // namespace

std::string jit_text(const JitComparison& comparison, const Style& style) {
  std::string out = fmt::format("{}: {}, driver {}, ptxas {}\n", comparison.file, comparison.gpu, comparison.driver,
                                comparison.ptxas);
  for (const JitTarget& target : comparison.targets) out += target_lines(target, style);
  return out;
}

std::string to_json(const JitComparison& comparison) { return pretty(JsonWriter::write(comparison)); }

}  // namespace warpclock
