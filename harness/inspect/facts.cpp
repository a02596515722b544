#include "inspect/facts.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "code/semantics.hpp"
#include "code/word.hpp"
#include "inspect/critical_path.hpp"
#include "inspect/reuse_cache.hpp"

namespace warpclock {
namespace {

std::string kind_of(const Listing& listing, std::size_t last, std::size_t to) {
  const Instruction& jump = listing.instructions[last];
  const bool named = is_jump(jump) && target_index(listing, jump) == to;
  if (jump.opcode == "CALL") return to == last + 1 && !named ? "returns" : "call";
  if (named) return "taken";
  const auto next = successors(listing, last);
  return std::ranges::find(next, to) != next.end() ? "falls through" : "indirect";
}

}  // namespace

std::vector<BlockFacts> block_facts(const LoadedKernel& kernel, const FlowGraph& graph) {
  const auto order = in_order_of_flow(graph, 0, [](std::size_t) { return true; });
  std::vector<std::size_t> rank(graph.blocks.size(), no_index);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  const auto address = [&](std::size_t index) { return static_cast<std::int64_t>(index * word_bytes); };
  std::vector<BlockFacts> all;
  for (std::size_t b = 0; b < graph.blocks.size(); ++b) {
    const BasicBlock& block = graph.blocks[b];
    if (!block.reached) continue;
    BlockFacts& facts = all.emplace_back();
    facts.begin = address(block.first);
    facts.end = address(block.end);
    if (block.loop != no_index) facts.loop = static_cast<int>(block.loop);
    std::vector<std::size_t> indices;
    for (std::size_t i = block.first; i < block.end; ++i) {
      indices.push_back(i);
      facts.issue_cycles += kernel.listing.instructions[i].control.stall;
    }
    facts.lines = line_ranges(kernel, indices);
    for (const std::size_t to : block.next) {
      const std::size_t first = graph.blocks[to].first;
      facts.next.push_back({address(first), kind_of(kernel.listing, block.end - 1, first), rank[to] <= rank[b]});
    }
  }
  return all;
}

namespace {

/// An instruction of a loop, and whether each trip passes it.
struct OwnInstruction {
  std::size_t index = 0;
  bool always = true;
};

/// The instructions of a loop that no inner loop has.
std::vector<OwnInstruction> own_instructions(const FlowGraph& graph, std::size_t id) {
  std::vector<OwnInstruction> own;
  for (const std::size_t block : graph.loops[id].blocks) {
    if (graph.blocks[block].loop != id) continue;
    const bool always = on_each_trip(graph, graph.loops[id], block);
    for (std::size_t i = graph.blocks[block].first; i < graph.blocks[block].end; ++i) own.push_back({i, always});
  }
  return own;
}

std::vector<TripBlock> trip_of(const FlowGraph& graph, std::size_t id) {
  const Loop& loop = graph.loops[id];
  const auto order = in_order_of_flow(graph, loop.header, [&](std::size_t b) { return graph.blocks[b].loop == id; });
  std::map<std::size_t, std::size_t> place;
  std::vector<TripBlock> trip;
  for (const std::size_t block : order) {
    TripBlock& out = trip.emplace_back(graph.blocks[block].first, graph.blocks[block].end);
    for (const std::size_t before : graph.blocks[block].before) {
      // Edges from later blocks go back: to the header, or in a cycle with several entries.
      if (const auto known = place.find(before); known != place.end()) out.before.push_back(known->second);
    }
    out.last = std::ranges::find(loop.latches, block) != loop.latches.end();
    place.emplace(block, trip.size() - 1);
  }
  return trip;
}

LoopFacts facts_of(const LoadedKernel& kernel, const FlowGraph& graph, std::size_t id, const LatencyTable& latencies) {
  const Loop& loop = graph.loops[id];
  LoopFacts facts{.id = static_cast<int>(id)};
  if (loop.parent != no_index) facts.parent = static_cast<int>(loop.parent);
  facts.depth = loop.depth;
  constexpr std::size_t bytes = word_bytes;
  facts.begin = static_cast<std::int64_t>(graph.blocks[loop.header].first * bytes);
  for (const std::size_t block : loop.blocks) {
    facts.end = std::max(facts.end, static_cast<std::int64_t>(graph.blocks[block].end * bytes));
    facts.code_bytes += static_cast<int>((graph.blocks[block].end - graph.blocks[block].first) * bytes);
    facts.innermost = facts.innermost && graph.blocks[block].loop == id;
  }
  const auto own = own_instructions(graph, id);
  std::vector<std::size_t> indices;
  for (const auto& [index, always] : own) {
    indices.push_back(index);
    const int stall = kernel.listing.instructions[index].control.stall;
    facts.issue_cycles += stall;
    facts.least_issue_cycles += always ? stall : 0;
  }
  facts.mix = mix_of(kernel.listing, indices);
  facts.mix.branched = static_cast<int>(std::ranges::count(own, false, &OwnInstruction::always));
  facts.lines = line_ranges(kernel, indices);
  if (!facts.innermost) return facts;
  TripPaths paths = trip_paths(kernel.listing, trip_of(graph, id), latencies);
  facts.carried = std::move(paths.carried);
  facts.trip = std::move(paths.trip);
  return facts;
}

}  // namespace

std::vector<LoopFacts> loop_facts(const LoadedKernel& kernel, const FlowGraph& graph, const LatencyTable& latencies) {
  std::vector<LoopFacts> all;
  for (std::size_t id = 0; id < graph.loops.size(); ++id) all.push_back(facts_of(kernel, graph, id, latencies));
  return all;
}

std::vector<LineRange> line_ranges(const LoadedKernel& kernel, const std::vector<std::size_t>& indices) {
  std::vector<LineRange> ranges;
  for (const std::size_t index : indices) {
    if (index >= kernel.lines.size() || kernel.lines[index].file.empty()) continue;
    const auto& [file, line] = kernel.lines[index];
    const auto known = std::ranges::find(ranges, file, &LineRange::file);
    if (known == ranges.end()) {
      ranges.push_back({file, line, line});
      continue;
    }
    known->first = std::min(known->first, line);
    known->last = std::max(known->last, line);
  }
  return ranges;
}

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

void count_banks(BankCounts& counts, const Instruction& instruction, ReuseCache& cache) {
  const BankReads reads = cache.read(instruction);
  const auto sources = effects_of(instruction).sources;
  const auto wide = [](const std::vector<Register>& source) {
    return source.size() > 1 && source[0].file == RegisterFile::Vector;
  };
  if (std::ranges::any_of(sources, wide)) return;
  counts.kept += static_cast<int>(reads.kept.size());
  const int most = std::ranges::max(reads.of_bank);
  counts.two += most == 2 ? 1 : 0;
  counts.three += most >= 3 ? 1 : 0;
}

int reuse_flags(const Instruction& instruction) {
  return static_cast<int>(
      std::ranges::count_if(instruction.operands, [](const std::string& one) { return one.contains(".reuse"); }));
}

std::vector<PipeCount> sorted(const std::map<std::string, int>& pipes) {
  std::vector<PipeCount> all;
  for (const auto& [pipe, count] : pipes) all.push_back({pipe, count});
  std::ranges::stable_sort(all, std::ranges::greater{}, &PipeCount::instructions);
  return all;
}

}  // namespace

Mix mix_of(const Listing& listing, std::span<const std::size_t> indices) {
  Mix mix;
  std::map<std::string, int> pipes, counts;
  std::map<std::string, Access> accesses;
  std::size_t previous = listing.instructions.size();
  ReuseCache cache;
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
    if (previous + 1 != index) cache.clear();
    count_banks(mix.banks, instruction, cache);
    mix.banks.reuse += reuse_flags(instruction);
    previous = index;
  }
  mix.pipes = sorted(pipes);
  for (auto& [name, access] : accesses) mix.accesses.push_back(std::move(access));
  return mix;
}

namespace {

/// "a.cu" and 3 of `//## File "a.cu", line 3`.
SourceLine line_of(std::string_view comment) {
  constexpr std::string_view word = ", line ";
  const std::size_t open = comment.find('"');
  const std::size_t close = open == comment.npos ? open : comment.find('"', open + 1);
  if (close == comment.npos || !comment.substr(close + 1).starts_with(word)) return {};
  return {std::string(comment.substr(open + 1, close - open - 1)),
          leading_number<int>(comment.substr(close + 1 + word.size())).value_or(0)};
}

}  // namespace

std::vector<std::pair<std::string, std::vector<SourceLine>>> source_lines(std::string_view disassembly) {
  constexpr std::string_view section = ".section", code = ".text.", mark = "//## File ";
  std::vector<std::pair<std::string, std::vector<SourceLine>>> all;
  SourceLine current;
  bool inside = false;
  while (!disassembly.empty()) {
    const std::size_t end = std::min(disassembly.find('\n'), disassembly.size());
    std::string_view line = trim(disassembly.substr(0, end));
    disassembly.remove_prefix(std::min(end + 1, disassembly.size()));
    // Not .sectioninfo.
    if (line.substr(0, line.find_first_of(" \t")) == section) {
      const std::string_view name = trim(line.substr(section.size()));
      inside = name.starts_with(code);
      current = {};
      if (inside) all.emplace_back(name.substr(code.size(), name.find(',') - code.size()), std::vector<SourceLine>());
    }
    if (line.starts_with(mark)) current = line_of(line);
    if (inside && take_address(line)) all.back().second.push_back(current);
  }
  std::erase_if(all, [](const auto& kernel) {
    return std::ranges::all_of(kernel.second, [](const SourceLine& line) { return line.file.empty(); });
  });
  return all;
}

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
