#include "inspect/live_registers.hpp"

#include <bitset>
#include <cstddef>
#include <ranges>

#include "code/semantics.hpp"

namespace warpclock {
namespace {

using Registers = std::bitset<256>;

/// What is live before an instruction, of what is live after it.
class Step {
 public:
  explicit Step(const Instruction& instruction) {
    const Effects effects = effects_of(instruction);
    for (const auto& source : effects.sources) add(source, read_);
    if (!effects.conditional) add(effects.writes, written_);
  }
  [[nodiscard]] Registers before(const Registers& after) const { return (after & ~written_) | read_; }

 private:
  static void add(const std::vector<Register>& registers, Registers& to) {
    for (const Register& each : registers)
      if (each.file == RegisterFile::Vector) to.set(static_cast<std::size_t>(each.index));
  }
  Registers read_, written_;
};

}  // namespace

std::vector<int> live_registers(const Listing& listing, const FlowGraph& graph) {
  const std::vector<Step> steps(listing.instructions.begin(), listing.instructions.end());
  std::vector<Registers> at_entry(graph.blocks.size());
  const auto after = [&](const BasicBlock& block) {
    Registers live;
    for (const std::size_t next : block.next) live |= at_entry[next];
    return live;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = graph.blocks.size(); i-- > 0;) {
      const BasicBlock& block = graph.blocks[i];
      Registers live = after(block);
      for (std::size_t at = block.end; at-- > block.first;) live = steps[at].before(live);
      changed = changed || live != at_entry[i];
      at_entry[i] = live;
    }
  }
  std::vector<int> counts(steps.size());
  for (const BasicBlock& block : graph.blocks) {
    if (!block.reached) continue;
    Registers live = after(block);
    for (std::size_t at = block.end; at-- > block.first;) {
      live = steps[at].before(live);
      counts[at] = static_cast<int>(live.count());
    }
  }
  return counts;
}

}  // namespace warpclock
