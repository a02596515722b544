#include "verify/instruction/companion.hpp"

#include <algorithm>

#include "ptx/experiment/conversion.hpp"

namespace warpclock {

Kinds companions_of(const PtxInstruction& instruction, const Experiment& experiment) {
  const auto words = [](const Operand& of) { return std::max(1, bits(of.file) / 32) * of.elements; };
  Instruction add;
  add.opcode = "HADD2";
  const std::string half = kind_of(add);
  Kinds kinds;
  for (const std::size_t i : kept_results(instruction, experiment)) {
    kinds[kept_kind] += keeps(instruction.operands[i].file);
  }
  if (instruction.is_block()) {
    for ([[maybe_unused]] const std::size_t i : refreshed_sources(instruction, experiment)) ++kinds["PRMT"];
  }
  if (experiment.trick == Trick::Gathered) {
    for (const Operand& of : instruction.operands) {
      if (of.written && of.immediate.empty()) kinds["LOP3 majority"] += words(of);
      if (of.written && of.file == RegisterClass::B16) kinds[half] += of.elements;
    }
  } else if (is_woven(experiment.trick)) {
    const Operand& from = instruction.operands[experiment.links.front().from];
    const bool adds = experiment.trick == Trick::WovenAdd;
    kinds[adds ? "FADD" : "LOP3 majority"] = words(instruction.operands[experiment.links.front().to]);
    if (from.file == RegisterClass::B16) kinds[half] = from.elements;
  } else if (is_refreshed(experiment.trick) && !instruction.is_block()) {
    const bool adds = experiment.trick == Trick::Refreshed;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& of = instruction.operands[i];
      const bool linked = !experiment.links.empty() && experiment.links.front().to == i;
      if (!of.read || of.written || of.address || linked || !of.immediate.empty()) continue;
      if (of.file == RegisterClass::B16 && adds) kinds[half] += of.elements;
      if (of.file == RegisterClass::B32 || of.file == RegisterClass::B64) {
        kinds[adds ? "FADD" : "LOP3 majority"] += words(of);
      }
    }
    for (auto& [kind, count] : kinds) count /= experiment.ilp;
  }
  return kinds;
}

}  // namespace warpclock
