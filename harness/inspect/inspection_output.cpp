#include "inspect/inspection_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"

namespace warpclock {

void describe(auto& a, Like<Occupancy> auto& v) {
  WARPCLOCK_REQUIRED(threads);
  WARPCLOCK_OPTIONAL(dynamic_bytes);
  WARPCLOCK_REQUIRED(blocks, warps, limits);
}

void describe(auto& a, Like<PipeCount> auto& v) { WARPCLOCK_REQUIRED(pipe, instructions); }

void describe(auto& a, Like<Access> auto& v) {
  WARPCLOCK_REQUIRED(instruction, kind, memory);
  WARPCLOCK_OPTIONAL(bytes, hints);
  WARPCLOCK_REQUIRED(count);
}

void describe(auto& a, Like<BankCounts> auto& v) { WARPCLOCK_REQUIRED(two, three, reuse, kept); }

void describe(auto& a, Like<Mix> auto& v) {
  WARPCLOCK_REQUIRED(instructions, pipes, accesses, predicated);
  WARPCLOCK_OPTIONAL(never);
  WARPCLOCK_REQUIRED(branches, branched, uniform, waits, banks);
}

void describe(auto& a, Like<ChainLink> auto& v) { WARPCLOCK_REQUIRED(address, text, cycles, basis); }

void describe(auto& a, Like<CriticalPath> auto& v) {
  WARPCLOCK_REQUIRED(cycles, trips, chain);
  WARPCLOCK_OPTIONAL(unknown);
}

void describe(auto& a, Like<LineRange> auto& v) { WARPCLOCK_REQUIRED(file, first, last); }

void describe(auto& a, Like<LoopFacts> auto& v) {
  WARPCLOCK_REQUIRED(id);
  WARPCLOCK_OPTIONAL(parent);
  WARPCLOCK_REQUIRED(depth, begin, end, code_bytes, innermost, issue_cycles, least_issue_cycles, mix);
  WARPCLOCK_OPTIONAL(carried, trip, lines);
}

void describe(auto& a, Like<BlockEdge> auto& v) {
  WARPCLOCK_REQUIRED(to, kind);
  WARPCLOCK_OPTIONAL(back);
}

void describe(auto& a, Like<BlockFacts> auto& v) {
  WARPCLOCK_REQUIRED(begin, end, issue_cycles, next);
  WARPCLOCK_OPTIONAL(loop, lines);
}

void describe(auto& a, Like<SpillFacts> auto& v) {
  WARPCLOCK_REQUIRED(listed, stores, loads, store_bytes, load_bytes);
  WARPCLOCK_OPTIONAL(addresses, in_loops, other);
}

void describe(auto& a, Like<ListedInstruction> auto& v) {
  WARPCLOCK_REQUIRED(address, text, stall);
  WARPCLOCK_OPTIONAL(yield);
  WARPCLOCK_REQUIRED(write, read);
  WARPCLOCK_OPTIONAL(wait, loop, live, target, file, line);
}

void describe(auto& a, Like<KernelInspection> auto& v) {
  WARPCLOCK_REQUIRED(name, readable, entry, registers);
  WARPCLOCK_OPTIONAL(most_registers);
  WARPCLOCK_REQUIRED(barriers);
  WARPCLOCK_OPTIONAL(parameter_bytes, most_threads, required_threads, cluster_blocks);
  WARPCLOCK_REQUIRED(stack_bytes, shared_bytes, spills, occupancy, mix, outside);
  WARPCLOCK_OPTIONAL(most_live, live_at);
  WARPCLOCK_REQUIRED(loops);
  WARPCLOCK_OPTIONAL(blocks, irreducible, unresolved);
  WARPCLOCK_REQUIRED(listing);
}

void describe(auto& a, Like<Inspection> auto& v) {
  WARPCLOCK_REQUIRED(file, kind, arch);
  WARPCLOCK_OPTIONAL(latencies);
  WARPCLOCK_REQUIRED(kernels);
}

namespace {

constexpr const char* record_name = "inspect";

Json inspection_version() { return {{"major", 1}, {"minor", 2}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Inspection& inspection) {
  return record_text(inspection_version(), record_name, JsonWriter::write(inspection));
}

std::string inspection_schema() {
  return record_schema_text("warpclock inspection", {{"const", inspection_version()}}, record_name,
                            JsonSchema::of<Inspection>());
}

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
  return fmt::format("at most {}, at {}", kernel.most_live, address_text(kernel.live_at));
}

std::string occupancy_text(const Occupancy& occupancy) {
  return fmt::format("{} of {} threads ({})", occupancy.blocks, occupancy.threads, join(occupancy.limits, ", "));
}

/// Rows of a name and what it says; what is empty is left out.
class FactRows {
 public:
  explicit FactRows(std::string title) { table_.title = std::move(title); }
  void add(const std::string& name, const std::string& text) {
    if (!text.empty()) table_.rows.push_back({name, text});
  }
  void add(const Mix& mix) {
    for (const Access& access : mix.accesses) add(&access == mix.accesses.data() ? "memory" : "", access_text(access));
    add("flow", flow_text(mix));
    add("uniform", mix.uniform > 0 ? fmt::format("{} of {} instructions", mix.uniform, mix.instructions) : "");
    add("banks", banks_text(mix.banks));
  }
  Table table() && { return std::move(table_); }

 private:
  Table table_{.key = "facts", .columns = columns({"name", "text"}), .headed = false};
};

Table loop_table(const LoopFacts& loop) {
  const std::string lines = lines_text(loop.lines);
  FactRows facts(fmt::format("loop {}{}: {} to {}, {}{}", loop.id,
                             loop.parent ? fmt::format(" in {}", *loop.parent) : "", address_text(loop.begin),
                             address_text(loop.end), counted(loop.mix.instructions, "instruction"),
                             (loop.innermost ? "" : " of its own") + (lines.empty() ? "" : ", " + lines)));
  facts.add("issue", issue_text(loop));
  facts.add("pipes", pipes_text(loop.mix));
  if (loop.carried) facts.add("carried", path_text(*loop.carried));
  if (loop.trip) facts.add("one trip", path_text(*loop.trip));
  if (loop.trip) facts.add("unknown", join(loop.trip->unknown, "; "));
  facts.add(loop.mix);
  return std::move(facts).table();
}

}  // namespace

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

std::string kind_text(const Inspection& inspection) {
  return fmt::format(
      "{}, {}, {}", inspection.kind, inspection.arch,
      inspection.latencies.empty() ? "latencies as ptxas encodes them" : "latencies of " + inspection.latencies);
}

std::vector<Table> kernel_tables(const KernelInspection& kernel) {
  FactRows facts(kernel.readable + (kernel.entry ? "" : " (a function)"));
  facts.add("needs", needs_text(kernel));
  facts.add("spills", spills_text(kernel.spills));
  facts.add("blocks per SM", join(mapped(kernel.occupancy, occupancy_text), ", "));
  if (!kernel.unresolved.empty())
    facts.add("not followed",
              fmt::format("{} or calls, the first at {}", counted(std::ssize(kernel.unresolved), "jump"),
                          address_text(kernel.unresolved.front())));
  facts.add("live registers", live_text(kernel));
  facts.add("loops", kernel.loops.empty() ? "none" : "");
  facts.add("cycles", kernel.irreducible ? "one that is entered at several places is not among the loops" : "");
  std::vector<Table> tables = {std::move(facts).table()};
  for (const LoopFacts& loop : kernel.loops) tables.push_back(loop_table(loop));
  if (kernel.outside.instructions == 0) return tables;
  FactRows outside("outside loops: " + counted(kernel.outside.instructions, "instruction"));
  outside.add("pipes", pipes_text(kernel.outside));
  outside.add(kernel.outside);
  tables.push_back(std::move(outside).table());
  return tables;
}

Sheet inspection_sheet(const Inspection& inspection) {
  Sheet sheet{.title = inspection.file + ": " + kind_text(inspection)};
  for (const KernelInspection& kernel : inspection.kernels)
    for (Table& table : kernel_tables(kernel)) sheet.tables.push_back(std::move(table));
  return sheet;
}

}  // namespace warpclock
