#include <fmt/format.h>

#include <filesystem>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {
namespace {

std::string bytes_text(std::int64_t bytes) { return human_bytes(static_cast<std::uint64_t>(bytes)); }

std::string pipes_text(const Mix& mix) {
  return join(
      mapped(mix.pipes, [&](const PipeCount& each) { return fmt::format("{} {}", each.pipe, each.instructions); }),
      ", ");
}

std::string access_text(const Access& access) {
  std::string text = fmt::format("{} {}", access.kind, access.memory);
  if (access.bytes > 0) text += fmt::format(" {} B", access.bytes);
  if (!access.hints.empty()) text += " (" + join(access.hints, ", ") + ")";
  return fmt::format("{} x {}: {}", access.count, access.instruction, text);
}

std::string flow_text(const Mix& mix) {
  std::vector<std::string> parts;
  if (mix.predicated > 0) parts.push_back(fmt::format("{} predicated", mix.predicated));
  if (mix.never > 0) parts.push_back(fmt::format("{} under @!PT", mix.never));
  if (mix.branches > 0) parts.push_back(counted(mix.branches, "conditional jump"));
  if (mix.branched > 0) parts.push_back(counted(mix.branched, "instruction") + " not on every trip");
  return join(parts, ", ");
}

std::string banks_text(const BankCounts& banks) {
  std::vector<std::string> parts;
  if (banks.two > 0) parts.push_back(counted(banks.two, "instruction") + " with two source registers in one bank");
  if (banks.three > 0) parts.push_back(counted(banks.three, "instruction") + " with three");
  if (banks.reuse > 0) parts.push_back(fmt::format("{}, {} used", counted(banks.reuse, "reuse flag"), banks.kept));
  return join(parts, "; ");
}

std::string issue_text(const LoopFacts& loop) {
  std::string text = counted(loop.issue_cycles, "cycle");
  if (loop.least_issue_cycles < loop.issue_cycles) text = fmt::format("{} to {}", loop.least_issue_cycles, text);
  if (loop.mix.waits > 0) text += fmt::format(", and {} for scoreboards", counted(loop.mix.waits, "wait"));
  return text;
}

/// "FFMA 0x0210 4, FADD 0x0230 4"; the middle of a long chain is left out.
std::string chain_text(const std::vector<ChainLink>& chain) {
  constexpr std::size_t most = 6;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain.size() > most && i == most / 2) {
      parts.push_back(fmt::format("… {} more …", chain.size() - most));
      i = chain.size() - most / 2;
    }
    const auto& [address, text, cycles, basis] = chain[i];
    const std::string known = human_number(cycles, 4) + (basis == "measured" ? "" : " " + basis);
    parts.push_back(fmt::format("{} {} {}", text.substr(0, text.find(' ')), address_text(address),
                                basis == "unknown" ? "?" : known));
  }
  return join(parts, ", ");
}

std::string path_text(const CriticalPath& path) {
  if (path.chain.empty() && path.unknown.empty()) return "nothing";
  std::string text = human_number(path.cycles, 4) + " cycles";
  if (!path.unknown.empty()) text += " at least";
  if (path.trips > 1) text += fmt::format(" a trip, by a chain over {} trips", path.trips);
  if (!path.chain.empty()) text += ": " + chain_text(path.chain);
  return text;
}

std::string fact_lines(const std::vector<FactLine>& facts, const Style& style) {
  std::string out;
  for (const auto& [name, text] : facts) out += fmt::format("    {} {}\n", style.dim(fmt::format("{:<9}", name)), text);
  return out;
}

std::string loop_lines(const LoopFacts& loop, const Style& style) {
  const std::string lines = lines_text(loop.lines);
  std::string out = fmt::format("\n  {}{}  {} to {}, {}{}\n", style.bold(fmt::format("loop {}", loop.id)),
                                loop.parent ? fmt::format(" in {}", *loop.parent) : "", address_text(loop.begin),
                                address_text(loop.end), counted(loop.mix.instructions, "instruction"),
                                (loop.innermost ? "" : " of its own") + (lines.empty() ? "" : ", " + lines));
  return out + fact_lines(facts_of_loop(loop), style);
}

std::string kernel_lines(const KernelInspection& kernel, const Style& style) {
  std::string out = fmt::format("\n{}{}\n  {}\n", style.bold(kernel.readable), kernel.entry ? "" : "  (a function)",
                                needs_text(kernel));
  if (const std::string spills = spills_text(kernel.spills); !spills.empty()) out += "  " + style.yellow(spills) + "\n";
  const auto blocks = mapped(kernel.occupancy, occupancy_text);
  if (!blocks.empty()) out += fmt::format("  blocks per SM: {}\n", join(blocks, ", "));
  if (!kernel.unresolved.empty())
    out += fmt::format("  {} not followed, the first at {}\n",
                       counted(std::ssize(kernel.unresolved), "jump") + " or calls",
                       address_text(kernel.unresolved.front()));
  if (kernel.irreducible) out += "  a cycle that is entered at several places is not among the loops\n";
  if (const std::string live = live_text(kernel); !live.empty()) out += "  " + live + "\n";
  if (kernel.loops.empty()) out += "  no loops\n";
  for (const LoopFacts& loop : kernel.loops) out += loop_lines(loop, style);
  if (kernel.outside.instructions > 0)
    out +=
        fmt::format("\n  {}  {}\n{}", style.bold("outside loops"), counted(kernel.outside.instructions, "instruction"),
                    fact_lines(facts_of_mix(kernel.outside), style));
  return out;
}

}  // namespace

std::string needs_text(const KernelInspection& kernel) {
  std::vector<std::string> parts = {counted(kernel.registers, "register")};
  if (kernel.barriers > 0) parts.push_back(counted(kernel.barriers, "barrier"));
  if (kernel.shared_bytes > 0) parts.push_back(bytes_text(kernel.shared_bytes) + " of shared memory");
  if (kernel.stack_bytes > 0) parts.push_back(bytes_text(kernel.stack_bytes) + " of stack");
  if (kernel.cluster_blocks > 0) parts.push_back(fmt::format("clusters of {} blocks", kernel.cluster_blocks));
  parts.push_back(counted(kernel.mix.instructions, "instruction"));
  return join(parts, ", ");
}

std::string spills_text(const SpillFacts& spills) {
  if (spills.addresses.empty()) return {};
  std::string text =
      fmt::format("{} ({}) and {} ({}) {}, the first at {}", counted(spills.stores, "store"),
                  bytes_text(spills.store_bytes), counted(spills.loads, "load"), bytes_text(spills.load_bytes),
                  spills.listed ? "of spilled registers" : "of local memory, spills or arrays",
                  address_text(spills.addresses.front()));
  if (spills.in_loops > 0) text += fmt::format("; {} in loops", spills.in_loops);
  return text;
}

std::string live_text(const KernelInspection& kernel) {
  if (kernel.most_live == 0) return {};
  return fmt::format("live registers: at most {}, at {}", kernel.most_live, address_text(kernel.live_at));
}

std::string occupancy_text(const Occupancy& occupancy) {
  return fmt::format("{} of {} threads ({})", occupancy.blocks, occupancy.threads, join(occupancy.limits, ", "));
}

std::string address_text(std::int64_t address) { return fmt::format("{:#06x}", address); }

std::string lines_text(const std::vector<LineRange>& lines) {
  std::vector<std::string> parts;
  for (const LineRange& each : lines) {
    const std::string file = std::filesystem::path(each.file).filename().string();
    parts.push_back(each.first == each.last ? fmt::format("{}:{}", file, each.first)
                                            : fmt::format("{}:{}-{}", file, each.first, each.last));
  }
  return join(parts, " ");
}

std::vector<FactLine> facts_of_loop(const LoopFacts& loop) {
  std::vector<FactLine> facts = {{"issue", issue_text(loop)}}, mix = facts_of_mix(loop.mix);
  facts.push_back(mix.front());
  if (loop.carried) facts.push_back({"carried", path_text(*loop.carried)});
  if (loop.trip) facts.push_back({"one trip", path_text(*loop.trip)});
  if (loop.trip && !loop.trip->unknown.empty()) facts.push_back({"unknown", join(loop.trip->unknown, "; ")});
  facts.insert(facts.end(), mix.begin() + 1, mix.end());
  return facts;
}

std::vector<FactLine> facts_of_mix(const Mix& mix) {
  std::vector<FactLine> facts = {{"pipes", pipes_text(mix)}};
  for (const Access& access : mix.accesses)
    facts.push_back({&access == mix.accesses.data() ? "memory" : "", access_text(access)});
  if (const std::string flow = flow_text(mix); !flow.empty()) facts.push_back({"flow", flow});
  if (mix.uniform > 0)
    facts.push_back({"uniform", fmt::format("{} of {} instructions", mix.uniform, mix.instructions)});
  if (const std::string banks = banks_text(mix.banks); !banks.empty()) facts.push_back({"banks", banks});
  return facts;
}

std::string inspection_text(const Inspection& inspection, const Style& style) {
  std::string out = fmt::format(
      "{}: {}, {}, {}\n", printable(inspection.file), inspection.kind, inspection.arch,
      inspection.latencies.empty() ? "latencies as ptxas encodes them" : "latencies of " + inspection.latencies);
  for (const KernelInspection& kernel : inspection.kernels) out += kernel_lines(kernel, style);
  return out;
}

}  // namespace warpclock
