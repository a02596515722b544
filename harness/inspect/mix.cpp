#include "inspect/mix.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code/flow.hpp"
#include "code/pipe.hpp"
#include "code/semantics.hpp"
#include "inspect/access.hpp"

namespace warpclock {
namespace {

bool guarded(const Instruction& instruction) {
  return !instruction.predicate.empty() && instruction.predicate != "PT" && instruction.predicate != "UPT";
}

bool never(const Instruction& instruction) { return instruction.predicate == "!PT" || instruction.predicate == "!UPT"; }

/// BRA.U UP0 and the like have their condition among the operands.
bool conditional(const Instruction& instruction) {
  return is_jump(instruction) &&
         (guarded(instruction) || (instruction.opcode == "BRA" && instruction.operands.size() > 1));
}

/// The register of a source that is one vector register and has one, by the operand's position.
using SourceRegisters = std::vector<std::optional<int>>;

/// Nothing for an instruction of which it is not known what a bank conflict costs: one that reads wider operands, or
/// one that reads them on the way to memory.
std::optional<SourceRegisters> single_registers(const Instruction& instruction) {
  const std::string_view pipe = pipe_of(instruction.name());
  if (pipe != "fma" && pipe != "alu") return std::nullopt;
  SourceRegisters registers;
  for (const std::vector<Register>& source : effects_of(instruction).sources) {
    const bool vector = !source.empty() && source[0].file == RegisterFile::Vector;
    if (vector && source.size() > 1) return std::nullopt;
    registers.push_back(vector ? std::optional(source[0].index) : std::nullopt);
  }
  return registers;
}

/// The register that each source operand has flagged for reuse.
SourceRegisters flagged(const Instruction& instruction) {
  SourceRegisters registers;
  const Effects effects = effects_of(instruction);
  const std::size_t results =
      instruction.operands.size() - std::min(effects.sources.size(), instruction.operands.size());
  for (std::size_t i = 0; i < effects.sources.size(); ++i) {
    const std::vector<Register>& source = effects.sources[i];
    const bool flag = results + i < instruction.operands.size() && instruction.operands[results + i].contains(".reuse");
    const bool vector = !source.empty() && source[0].file == RegisterFile::Vector;
    registers.push_back(flag && vector ? std::optional(source[0].index) : std::nullopt);
  }
  return registers;
}

/// Registers that are read from a bank, and those that the instruction before has kept.
struct BankReads {
  std::array<int, 2> of_bank{};
  int kept = 0;
};

BankReads bank_reads(const Instruction& instruction, const SourceRegisters& before) {
  BankReads reads;
  const auto registers = single_registers(instruction);
  for (std::size_t i = 0; registers && i < registers->size(); ++i) {
    const std::optional<int>& reg = (*registers)[i];
    if (!reg) continue;
    const bool kept = i < before.size() && before[i] == reg;
    reads.kept += kept ? 1 : 0;
    if (!kept) ++reads.of_bank[static_cast<std::size_t>(*reg % 2)];
  }
  return reads;
}

void count_banks(BankCounts& counts, const Instruction& instruction, const SourceRegisters& before) {
  const BankReads reads = bank_reads(instruction, before);
  const int most = std::ranges::max(reads.of_bank);
  counts.kept += reads.kept;
  counts.two += most == 2 ? 1 : 0;
  counts.three += most >= 3 ? 1 : 0;
}

std::vector<PipeCount> sorted(const std::map<std::string, int>& pipes) {
  std::vector<PipeCount> all;
  for (const auto& [pipe, count] : pipes) all.push_back({pipe, count});
  std::ranges::stable_sort(all, std::ranges::greater{}, &PipeCount::instructions);
  return all;
}

}  // namespace

std::array<int, 2> reads_of_banks(const Instruction& instruction, const Instruction* before) {
  return bank_reads(instruction, before == nullptr ? SourceRegisters() : flagged(*before)).of_bank;
}

Mix mix_of(const Listing& listing, std::span<const std::size_t> indices) {
  Mix mix;
  std::map<std::string, int> pipes, counts;
  std::map<std::string, Access> accesses;
  std::size_t previous = listing.instructions.size();
  SourceRegisters before;
  for (const std::size_t index : indices) {
    const Instruction& instruction = listing.instructions[index];
    ++mix.instructions;
    const std::string_view pipe = pipe_of(instruction.name());
    ++pipes[std::string(pipe)];
    mix.uniform += pipe == "uniform" ? 1 : 0;
    mix.never += never(instruction) ? 1 : 0;
    mix.predicated += guarded(instruction) && !never(instruction) && !is_jump(instruction) ? 1 : 0;
    mix.branches += conditional(instruction) ? 1 : 0;
    mix.waits += instruction.control.wait_mask != 0 ? 1 : 0;
    if (const auto access = access_of(instruction); access && !never(instruction)) {
      Access& all = accesses.try_emplace(access->instruction, *access).first->second;
      all.count = counts[access->instruction] += 1;
    }
    if (previous + 1 != index) before.clear();
    count_banks(mix.banks, instruction, before);
    before = flagged(instruction);
    mix.banks.reuse += static_cast<int>(std::ranges::count_if(before, [](const auto& reg) { return reg.has_value(); }));
    previous = index;
  }
  mix.pipes = sorted(pipes);
  for (auto& [name, access] : accesses) mix.accesses.push_back(std::move(access));
  return mix;
}

}  // namespace warpclock
