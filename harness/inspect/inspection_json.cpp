#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "inspect/inspection_output.hpp"

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

}  // namespace warpclock
