#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "code/semantics.hpp"
#include "execute/code_program.hpp"
#include "inspect/facts.hpp"
#include "inspect/flow_graph.hpp"

namespace warpclock {
namespace {

constexpr std::size_t registers = places::words + places::predicates;
using Registers = std::bitset<registers>;

std::size_t place_of(Register reg) {
  const auto index = static_cast<std::size_t>(reg.index);
  switch (reg.file) {
    case RegisterFile::Vector:
      return index;
    case RegisterFile::Uniform:
      return places::uniform + index;
    case RegisterFile::Predicate:
      return places::words + index;
    case RegisterFile::UniformPredicate:
      break;
  }
  return std::size_t{places::words} + places::uniform_predicate + index;
}

void add(Registers& to, const std::vector<Register>& from) {
  for (const Register reg : from) to.set(place_of(reg));
}

/// What an instruction contributes to the slice.
struct Contribution {
  Registers always, reads, writes;  ///< `always`: what it needs whatever comes later
  Registers stored;                 ///< what it stores, which its memory may need
  bool overwrites = false;          ///< whether what it writes does not matter before it
  bool kept = false;                ///< whether it is executed in any case
  std::string memory;               ///< that it accesses
  bool loads = false, strong = false;
};

/// No block waits for such a sum.
bool adds_floats(const CodeStep& step) {
  constexpr std::array floats{ValueType::F16, ValueType::Bf16, ValueType::F32, ValueType::F64};
  return step.access == StepAccess::Atomic && std::ranges::find(floats, step.element) != floats.end();
}

bool is_control(StepKind kind) {
  return kind != StepKind::Value && kind != StepKind::Nothing && kind != StepKind::Access && kind != StepKind::Copy;
}

class Slicer {
 public:
  Slicer(const LoadedKernel& kernel, const std::vector<CodeStep>& steps, Follow follow)
      : graph_(flow_graph(kernel.listing, kernel.facts.indirect)), follow_(follow) {
    const auto& code = kernel.listing.instructions;
    for (std::size_t i = 0; i < code.size(); ++i) all_.push_back(contribution(code[i], steps[i]));
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b) {
      const auto last = graph_.blocks[b].end - 1;
      if (steps[last].kind == StepKind::Call && b + 1 < graph_.blocks.size()) after_calls_.push_back(b + 1);
      if (steps[last].kind == StepKind::Return) returns_.push_back(b);
    }
  }

  CodeSlice run() {
    CodeSlice made;
    for (bool more = true; more;) {
      made.needed.assign(all_.size(), follow_ == Follow::All);
      follow();
      more = false;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const bool is = follow_ == Follow::All || results_needed_[i];
        made.needed[i] = is || all_[i].kept;
        if (is && all_[i].loads) more |= note_memory(all_[i]);
      }
    }
    made.global = global_ || strong_, made.shared = shared_, made.local = local_;
    results_needed_.resize(all_.size(), follow_ == Follow::All);
    for (std::size_t i = 0; i < all_.size(); ++i)
      made.needed[i] = made.needed[i] || (!all_[i].memory.empty() && followed(all_[i]));
    made.values = results_needed_;
    if (follow_ == Follow::All) made.values.assign(all_.size(), true);
    return made;
  }

 private:
  Contribution contribution(const Instruction& instruction, const CodeStep& step) const {
    const Effects effects = effects_of(instruction);
    Contribution made;
    Registers addresses;
    for (std::size_t k = 0; k < effects.sources.size(); ++k) {
      const std::size_t operand = instruction.operands.size() - effects.sources.size() + k;
      const bool bracket = instruction.operands[operand].contains('[');
      add(bracket ? addresses : made.stored, effects.sources[k]);
    }
    made.reads = addresses | made.stored;
    add(made.reads, effects.guard);
    add(made.writes, effects.writes);
    made.overwrites = !effects.conditional;
    const auto access = access_of(instruction);
    const bool accesses = step.kind == StepKind::Access || step.kind == StepKind::Copy;
    if (is_control(step.kind)) {
      made.kept = true;
      made.always = made.reads;
    } else if (accesses && follow_ == Follow::Guards) {
      add(made.always, effects.guard);
    } else if (accesses && follow_ != Follow::Path && follow_ != Follow::Signals) {
      made.kept = true;
      made.always = addresses;
      add(made.always, effects.guard);
      if (step.kind == StepKind::Copy) made.always = made.reads;
    }
    if (step.kind == StepKind::Copy && instruction.opcode != "LDGSTS" && follow_ != Follow::Guards) {
      // A bulk copy arrives at an mbarrier. The register after the one that it names has its address, or the upper word
      // of an address of global memory.
      for (const AddressSource& address : step.addresses)
        made.reads.set(std::min<std::size_t>(address.uniform + 1U, places::uniform_zero));
      made.kept = true, made.always = made.reads;
    }
    if (step.dimensions > 0 && step.addresses.size() > 1 && follow_ != Follow::Guards) {
      // The coordinates, after the address in shared memory and, of a load, that of its mbarrier; and the upper word of
      // the descriptor's address.
      const std::size_t last = step.addresses[0].uniform + (step.tensor ? 1U : 0U) + step.dimensions;
      for (std::size_t place = step.addresses[0].uniform + 1U; place <= last; ++place)
        made.always.set(std::min<std::size_t>(place, places::uniform_zero));
      made.always.set(std::min<std::size_t>(step.addresses[1].uniform + 1U, places::uniform_zero));
    }
    if (step.kind == StepKind::CountedStore) made.memory = "shared";
    if (accesses && access) {
      made.memory = access->memory;
      made.strong = step.has(Modifier::Strong) && !adds_floats(step);
      made.loads = access->kind == "load" || access->kind == "atomic" || access->kind == "copy";
    }
    return made;
  }

  [[nodiscard]] bool followed(const Contribution& access) const {
    const std::string_view memory = access.memory;
    if (access.strong && strong_) return true;
    if (memory == "generic") return global_ || shared_ || local_;
    return (memory == "shared" && shared_) || (memory == "local" && local_) || (memory == "global" && global_) ||
           (memory == "global to shared" && (shared_ || global_));
  }

  /// What blocks tell each other is loaded and stored by accesses that say so (PTX ISA, "Memory consistency model"), so
  /// the others need no values for it.
  bool note_memory(const Contribution& access) {
    if (access.strong && access.memory != "shared") return !std::exchange(strong_, true);
    const std::string_view memory = access.memory;
    if (follow_ == Follow::Signals) return false;
    const auto before = std::tuple(global_, shared_, local_);
    if (memory == "global" || memory == "generic" || memory == "global to shared") global_ = true;
    if (memory.ends_with("shared") || memory == "generic") shared_ = true;
    if (memory == "local" || memory == "generic") local_ = true;
    return before != std::tuple(global_, shared_, local_);
  }

  /// The registers that are needed before each block, until nothing is added.
  void follow() {
    results_needed_.assign(all_.size(), false);
    std::vector<Registers> before(graph_.blocks.size());
    std::vector<std::size_t> open;
    std::vector<bool> queued(graph_.blocks.size(), true);
    for (std::size_t b = 0; b < graph_.blocks.size(); ++b) open.push_back(b);
    while (!open.empty()) {
      const std::size_t b = open.back();
      open.pop_back();
      queued[b] = false;
      Registers needed;
      for (const std::size_t next : graph_.blocks[b].next) needed |= before[next];
      if (std::ranges::find(returns_, b) != returns_.end())
        for (const std::size_t next : after_calls_) needed |= before[next];
      needed = through(graph_.blocks[b], needed);
      if ((needed & ~before[b]).none()) continue;
      before[b] |= needed;
      const auto queue = [&](std::size_t which) {
        if (!queued[which]) queued[which] = true, open.push_back(which);
      };
      for (const std::size_t from : graph_.blocks[b].before) queue(from);
      if (std::ranges::find(after_calls_, b) != after_calls_.end())
        for (const std::size_t from : returns_) queue(from);
    }
  }

  Registers through(const BasicBlock& block, Registers needed) {
    for (std::size_t i = block.end; i > block.first; --i) {
      const Contribution& one = all_[i - 1];
      const bool results = (needed & one.writes).any();
      const bool stores = !one.memory.empty() && followed(one);
      results_needed_[i - 1] = results_needed_[i - 1] || results || stores;
      if (one.overwrites) needed &= ~one.writes;
      if (results || stores) needed |= one.reads;
      needed |= one.always;
    }
    return needed;
  }

  FlowGraph graph_;
  Follow follow_;
  std::vector<Contribution> all_;
  std::vector<std::size_t> after_calls_, returns_;
  std::vector<bool> results_needed_;
  bool global_ = false, strong_ = false, shared_ = false, local_ = false;
};

}  // namespace

CodeSlice slice_of(const LoadedKernel& kernel, const std::vector<CodeStep>& steps, Follow follow) {
  return Slicer(kernel, steps, follow).run();
}

}  // namespace warpclock
