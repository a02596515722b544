#include "inspect/inspection_json.hpp"

#include "record/json/json_schema.hpp"
#include "record/json/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<Occupancy> T>
void describe(Archive& a, T& v) {
  a.required("threads", v.threads);
  a.optional("dynamic_bytes", v.dynamic_bytes);
  a.required("blocks", v.blocks);
  a.required("warps", v.warps);
  a.required("limits", v.limits);
}

template <class Archive, Like<PipeCount> T>
void describe(Archive& a, T& v) {
  a.required("pipe", v.pipe);
  a.required("instructions", v.instructions);
}

template <class Archive, Like<Access> T>
void describe(Archive& a, T& v) {
  a.required("instruction", v.instruction);
  a.required("kind", v.kind);
  a.required("memory", v.memory);
  a.optional("bytes", v.bytes);
  a.optional("hints", v.hints);
  a.required("count", v.count);
}

template <class Archive, Like<BankCounts> T>
void describe(Archive& a, T& v) {
  a.required("two", v.two);
  a.required("three", v.three);
  a.required("reuse", v.reuse);
  a.required("kept", v.kept);
}

template <class Archive, Like<Mix> T>
void describe(Archive& a, T& v) {
  a.required("instructions", v.instructions);
  a.required("pipes", v.pipes);
  a.required("accesses", v.accesses);
  a.required("predicated", v.predicated);
  a.optional("never", v.never);
  a.required("branches", v.branches);
  a.required("branched", v.branched);
  a.required("uniform", v.uniform);
  a.required("waits", v.waits);
  a.required("banks", v.banks);
}

template <class Archive, Like<ChainLink> T>
void describe(Archive& a, T& v) {
  a.required("address", v.address);
  a.required("text", v.text);
  a.required("cycles", v.cycles);
  a.required("basis", v.basis);
}

template <class Archive, Like<CriticalPath> T>
void describe(Archive& a, T& v) {
  a.required("cycles", v.cycles);
  a.required("trips", v.trips);
  a.required("chain", v.chain);
  a.optional("unknown", v.unknown);
}

template <class Archive, Like<LineRange> T>
void describe(Archive& a, T& v) {
  a.required("file", v.file);
  a.required("first", v.first);
  a.required("last", v.last);
}

template <class Archive, Like<LoopFacts> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.optional("parent", v.parent);
  a.required("depth", v.depth);
  a.required("begin", v.begin);
  a.required("end", v.end);
  a.required("code_bytes", v.code_bytes);
  a.required("innermost", v.innermost);
  a.required("issue_cycles", v.issue_cycles);
  a.required("least_issue_cycles", v.least_issue_cycles);
  a.required("mix", v.mix);
  a.optional("carried", v.carried);
  a.optional("trip", v.trip);
  a.optional("lines", v.lines);
}

template <class Archive, Like<SpillFacts> T>
void describe(Archive& a, T& v) {
  a.required("listed", v.listed);
  a.required("stores", v.stores);
  a.required("loads", v.loads);
  a.required("store_bytes", v.store_bytes);
  a.required("load_bytes", v.load_bytes);
  a.optional("addresses", v.addresses);
  a.optional("in_loops", v.in_loops);
  a.optional("other", v.other);
}

template <class Archive, Like<ListedInstruction> T>
void describe(Archive& a, T& v) {
  a.required("address", v.address);
  a.required("text", v.text);
  a.required("stall", v.stall);
  a.optional("yield", v.yield);
  a.required("write", v.write);
  a.required("read", v.read);
  a.optional("wait", v.wait);
  a.optional("loop", v.loop);
  a.optional("target", v.target);
  a.optional("file", v.file);
  a.optional("line", v.line);
}

template <class Archive, Like<KernelInspection> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("readable", v.readable);
  a.required("entry", v.entry);
  a.required("registers", v.registers);
  a.optional("most_registers", v.most_registers);
  a.required("barriers", v.barriers);
  a.optional("parameter_bytes", v.parameter_bytes);
  a.optional("most_threads", v.most_threads);
  a.optional("required_threads", v.required_threads);
  a.optional("cluster_blocks", v.cluster_blocks);
  a.required("stack_bytes", v.stack_bytes);
  a.required("shared_bytes", v.shared_bytes);
  a.required("spills", v.spills);
  a.required("occupancy", v.occupancy);
  a.required("mix", v.mix);
  a.required("loops", v.loops);
  a.optional("irreducible", v.irreducible);
  a.optional("unresolved", v.unresolved);
  a.required("listing", v.listing);
}

template <class Archive, Like<Inspection> T>
void describe(Archive& a, T& v) {
  a.required("file", v.file);
  a.required("kind", v.kind);
  a.required("arch", v.arch);
  a.optional("latencies", v.latencies);
  a.required("kernels", v.kernels);
}

namespace {

constexpr const char* record_name = "inspect";

Json inspection_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json out = {{"schema", inspection_version()}, {"record", record_name}};
  const Json members = JsonWriter::write(inspection);
  for (const auto& [key, value] : members.items()) out[key] = value;
  return pretty(out);
}

std::string inspection_schema() {
  Json out = JsonSchema::of<Inspection>();
  out["title"] = "warpclock inspection";
  out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  out["properties"]["schema"] = {{"const", inspection_version()}};
  out["properties"]["record"] = {{"const", record_name}};
  out["required"].push_back("schema");
  out["required"].push_back("record");
  return pretty(out);
}

}  // namespace warpclock
