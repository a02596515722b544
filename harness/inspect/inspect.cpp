#include "inspect/inspect.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "inspect/facts.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/inspection_output.hpp"
#include "inspect/occupancy.hpp"

namespace warpclock {
namespace {

std::string waits_of(const Control& control) {
  std::string digits;
  for (int i = 0; i < 6; ++i) {
    if ((control.wait_mask >> i & 1U) != 0) digits += static_cast<char>('0' + i);
  }
  return digits;
}

/// The innermost loop of each instruction, or no_index.
std::vector<std::size_t> loops_of_instructions(const Listing& listing, const FlowGraph& graph) {
  std::vector<std::size_t> loops(listing.instructions.size(), no_index);
  for (const BasicBlock& block : graph.blocks)
    for (std::size_t i = block.first; i < block.end; ++i) loops[i] = block.loop;
  return loops;
}

std::vector<ListedInstruction> listed(const LoadedKernel& kernel, const std::vector<std::size_t>& loops) {
  std::vector<ListedInstruction> all;
  for (std::size_t i = 0; i < kernel.listing.instructions.size(); ++i) {
    const Instruction& each = kernel.listing.instructions[i];
    ListedInstruction& line = all.emplace_back();
    line.address = static_cast<std::int64_t>(each.address);
    line.text = listed_text(each);
    if (each.branch_target) line.target = static_cast<std::int64_t>(*each.branch_target);
    line.stall = each.control.stall;
    line.yield = each.control.yield;
    line.write = each.control.write_barrier;
    line.read = each.control.read_barrier;
    line.wait = waits_of(each.control);
    if (loops[i] != no_index) line.loop = static_cast<int>(loops[i]);
    if (i >= kernel.lines.size()) continue;
    line.file = kernel.lines[i].file;
    line.line = kernel.lines[i].line;
  }
  return all;
}

SpillFacts spills_of(const LoadedKernel& kernel, const std::vector<std::size_t>& loops, bool listed) {
  SpillFacts facts{.listed = listed};
  for (std::size_t i = 0; i < kernel.listing.instructions.size(); ++i) {
    const Instruction& each = kernel.listing.instructions[i];
    const auto access = access_of(each);
    if (!access || access->memory != "local" || (access->kind != "load" && access->kind != "store")) continue;
    if (listed && !std::ranges::binary_search(*kernel.facts.spills, each.address)) {
      ++facts.other;
      continue;
    }
    facts.addresses.push_back(static_cast<std::int64_t>(each.address));
    facts.in_loops += loops[i] == no_index ? 0 : 1;
    (access->kind == "load" ? facts.loads : facts.stores) += 1;
    (access->kind == "load" ? facts.load_bytes : facts.store_bytes) += access->bytes;
  }
  return facts;
}

SpillFacts spills_of(const LoadedKernel& kernel, const std::vector<std::size_t>& loops) {
  // The list's size in bytes has 16 bits, and ptxas 13.0 writes what is left modulo that: so many entries are missing.
  constexpr int missing = 65536 / 8;
  if (!kernel.facts.spills) return spills_of(kernel, loops, false);
  SpillFacts facts = spills_of(kernel, loops, true);
  const bool whole = facts.other == 0 || facts.other % missing != 0;
  return whole ? facts : spills_of(kernel, loops, false);
}

std::vector<Occupancy> occupancies(const LoadedKernel& kernel, const Arch& arch, const InspectOptions& options) {
  const auto limits = sm_limits(arch);
  if (!limits || !kernel.facts.entry) return {};
  BlockNeeds needs{.registers = kernel.facts.registers,
                   .barriers = kernel.facts.barriers,
                   .static_bytes = kernel.facts.shared_bytes,
                   .dynamic_bytes = options.dynamic_bytes};
  std::vector<int> sizes = {64, 128, 256, 512, 1024};
  if (kernel.facts.most_threads > 0) sizes = {kernel.facts.most_threads};
  if (kernel.facts.required_threads > 0) sizes = {kernel.facts.required_threads};
  if (options.threads > 0) sizes = {options.threads};
  std::vector<Occupancy> all;
  for (const int threads : sizes) {
    needs.threads = threads;
    all.push_back(occupancy(*limits, needs));
  }
  return all;
}

/// The mixes of all that is reached, and of what of it is in no loop.
void count_instructions(const Listing& listing, const FlowGraph& graph, KernelInspection& out) {
  std::vector<std::size_t> reached, outside;
  for (const BasicBlock& block : graph.blocks) {
    for (std::size_t i = block.first; block.reached && i < block.end; ++i) {
      reached.push_back(i);
      if (block.loop == no_index) outside.push_back(i);
    }
  }
  out.mix = mix_of(listing, reached);
  out.outside = mix_of(listing, outside);
}

/// What a caller, a called function or an unknown place reads is not known, so nothing is said then.
void count_live_registers(const Listing& listing, const FlowGraph& graph, KernelInspection& out) {
  const bool calls = std::ranges::any_of(listing.instructions, [](const auto& each) { return each.opcode == "CALL"; });
  if (!out.entry || calls || !graph.unresolved.empty()) return;
  const std::vector<int> live = live_registers(listing, graph);
  for (std::size_t i = 0; i < live.size(); ++i) {
    out.listing[i].live = live[i];
    if (live[i] > out.most_live) out.most_live = live[i], out.live_at = out.listing[i].address;
  }
}

KernelInspection inspect_kernel(const LoadedKernel& kernel, const Arch& arch, const InspectOptions& options,
                                const LatencyTable& latencies) {
  const Listing& listing = kernel.listing;
  const FlowGraph graph = flow_graph(listing, kernel.facts.indirect);
  const auto loops = loops_of_instructions(listing, graph);
  const KernelFacts& facts = kernel.facts;
  KernelInspection out{.name = listing.kernel, .readable = readable_name(listing.kernel), .entry = facts.entry};
  out.registers = facts.registers;
  out.most_registers = facts.most_registers;
  out.barriers = facts.barriers;
  out.parameter_bytes = facts.parameter_bytes;
  out.most_threads = facts.most_threads;
  out.required_threads = facts.required_threads;
  out.cluster_blocks = facts.cluster_blocks;
  out.stack_bytes = facts.stack_bytes;
  out.shared_bytes = facts.shared_bytes;
  out.spills = spills_of(kernel, loops);
  out.occupancy = occupancies(kernel, arch, options);
  count_instructions(listing, graph, out);
  out.loops = loop_facts(kernel, graph, latencies);
  out.blocks = block_facts(kernel, graph);
  out.irreducible = graph.irreducible;
  for (const std::size_t jump : graph.unresolved)
    out.unresolved.push_back(static_cast<std::int64_t>(listing.instructions[jump].address));
  out.listing = listed(kernel, loops);
  count_live_registers(listing, graph, out);
  return out;
}

}  // namespace

std::string listed_text(const Instruction& instruction) {
  std::string text = (instruction.predicate.empty() ? "" : "@" + instruction.predicate + " ") + instruction.text;
  const std::size_t begin = text.find("`("), end = text.find(')', std::min(begin, text.size()));
  if (!instruction.branch_target || end == text.npos) return text;
  return text.substr(0, begin) + address_text(static_cast<std::int64_t>(*instruction.branch_target)) +
         text.substr(end + 1);
}

std::string readable_name(const std::string& symbol) {
  // A cubin may have any bytes in its names, and they get to a terminal.
  if (!symbol.starts_with("_Z")) return one_line(symbol, 4 * symbol.size());
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  const std::string text = status == 0 && name ? name.get() : symbol;
  return one_line(text, 4 * text.size());
}

Expected<Inspection> inspect(const std::string& name, const LoadedFile& file, const InspectOptions& options) {
  Inspection out{.file = name, .kind = file.kind, .arch = to_string(file.arch)};
  const bool same = options.machine != nullptr && parse_arch(options.machine->arch).value_or(Arch{}).sm == file.arch.sm;
  if (same) out.latencies = options.machine->gpu;
  const LatencyTable latencies(same ? options.machine : nullptr, file.arch);
  std::vector<std::string> names;
  for (const LoadedKernel& kernel : file.kernels) {
    names.push_back(readable_name(kernel.listing.kernel));
    if (!is_meant(kernel.listing.kernel, options.kernel)) continue;
    out.kernels.push_back(inspect_kernel(kernel, file.arch, options, latencies));
  }
  if (out.kernels.empty()) return std::unexpected(no_such_kernel(options.kernel, names, name));
  return out;
}

Error no_such_kernel(const std::string& word, const std::vector<std::string>& names, const std::string& place) {
  return {"kernel", fmt::format("there is no kernel '{}'{}", word, hint(word, names)), place};
}

bool is_meant(const std::string& symbol, const std::string& word) {
  return word.empty() || symbol.contains(word) || readable_name(symbol).contains(word);
}

}  // namespace warpclock
