#include "inspect/inspection_json.hpp"

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<Occupancy> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(threads);
  WARPCLOCK_OPTIONAL(dynamic_bytes);
  WARPCLOCK_REQUIRED(blocks, warps, limits);
}

template <class Archive, Like<PipeCount> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(pipe, instructions);
}

template <class Archive, Like<Access> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(instruction, kind, memory);
  WARPCLOCK_OPTIONAL(bytes, hints);
  WARPCLOCK_REQUIRED(count);
}

template <class Archive, Like<BankCounts> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(two, three, reuse, kept);
}

template <class Archive, Like<Mix> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(instructions, pipes, accesses, predicated);
  WARPCLOCK_OPTIONAL(never);
  WARPCLOCK_REQUIRED(branches, branched, uniform, waits, banks);
}

template <class Archive, Like<ChainLink> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(address, text, cycles, basis);
}

template <class Archive, Like<CriticalPath> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(cycles, trips, chain);
  WARPCLOCK_OPTIONAL(unknown);
}

template <class Archive, Like<LineRange> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(file, first, last);
}

template <class Archive, Like<LoopFacts> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id);
  WARPCLOCK_OPTIONAL(parent);
  WARPCLOCK_REQUIRED(depth, begin, end, code_bytes, innermost, issue_cycles, least_issue_cycles, mix);
  WARPCLOCK_OPTIONAL(carried, trip, lines);
}

template <class Archive, Like<SpillFacts> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(listed, stores, loads, store_bytes, load_bytes);
  WARPCLOCK_OPTIONAL(addresses, in_loops, other);
}

template <class Archive, Like<ListedInstruction> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(address, text, stall);
  WARPCLOCK_OPTIONAL(yield);
  WARPCLOCK_REQUIRED(write, read);
  WARPCLOCK_OPTIONAL(wait, loop, target, file, line);
}

template <class Archive, Like<KernelInspection> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, readable, entry, registers);
  WARPCLOCK_OPTIONAL(most_registers);
  WARPCLOCK_REQUIRED(barriers);
  WARPCLOCK_OPTIONAL(parameter_bytes, most_threads, required_threads, cluster_blocks);
  WARPCLOCK_REQUIRED(stack_bytes, shared_bytes, spills, occupancy, mix, loops);
  WARPCLOCK_OPTIONAL(irreducible, unresolved);
  WARPCLOCK_REQUIRED(listing);
}

template <class Archive, Like<Inspection> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(file, kind, arch);
  WARPCLOCK_OPTIONAL(latencies);
  WARPCLOCK_REQUIRED(kernels);
}

namespace {

constexpr const char* record_name = "inspect";

Json inspection_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Inspection& inspection) {
  return record_text(inspection_version(), record_name, JsonWriter::write(inspection));
}

std::string inspection_schema() {
  return record_schema_text("warpclock inspection", {{"const", inspection_version()}}, record_name,
                            JsonSchema::of<Inspection>());
}

}  // namespace warpclock
