#include "advise/advice_json.hpp"

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<UsedNumber> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("value", v.value);
  a.required("low", v.low);
  a.required("high", v.high);
  a.required("unit", v.unit);
  a.required("rows", v.rows);
  a.required("record", v.record);
  a.required("gpu", v.gpu);
  a.required("date", v.date);
  a.required("commit", v.commit);
  a.optional("note", v.note);
}

template <class Archive, Like<ModelCheck> T>
void describe(Archive& a, T& v) {
  a.required("of", v.of);
  a.required("predictions", v.predictions);
  a.required("mean_absolute", v.mean_absolute);
  a.required("furthest", v.furthest);
  a.required("row", v.row);
}

template <class Archive, Like<StageChoice> T>
void describe(Archive& a, T& v) {
  a.required("stages", v.stages);
  a.required("shared_bytes", v.shared_bytes);
  a.required("fits", v.fits);
  a.optional("cycles", v.cycles);
  a.optional("share", v.share);
  a.optional("limit", v.limit);
}

template <class Archive, Like<PipelineAdvice> T>
void describe(Archive& a, T& v) {
  a.required("m", v.m);
  a.required("n", v.n);
  a.required("k", v.k);
  a.required("type", v.type);
  a.required("from", v.from);
  a.required("multiply", v.multiply);
  a.required("multiplies", v.multiplies);
  a.required("step_bytes", v.step_bytes);
  a.required("warp_groups", v.warp_groups);
  a.required("accumulators", v.accumulators);
  a.optional("tensor", v.tensor);
  a.optional("copy", v.copy);
  a.optional("rate", v.rate);
  a.optional("queue", v.queue);
  a.optional("best", v.best);
  a.required("choices", v.choices);
}

template <class Archive, Like<RateTarget> T>
void describe(Archive& a, T& v) {
  a.required("share", v.share);
  a.optional("bytes", v.bytes);
  a.optional("warps", v.warps);
  a.optional("loads", v.loads);
  a.optional("rate", v.rate);
  a.optional("row", v.row);
  a.optional("asked_loads", v.asked_loads);
  a.optional("asked_warps", v.asked_warps);
  a.optional("total_bytes", v.total_bytes);
}

template <class Archive, Like<BandwidthAdvice> T>
void describe(Archive& a, T& v) {
  a.required("level", v.level);
  a.required("width", v.width);
  a.optional("warps", v.warps);
  a.optional("bytes", v.bytes);
  a.optional("latency", v.latency);
  a.optional("rate", v.rate);
  a.optional("most_loads", v.most_loads);
  a.optional("gigabytes", v.gigabytes);
  a.optional("cycles", v.cycles);
  a.optional("reached", v.reached);
  a.required("targets", v.targets);
}

template <class Archive, Like<LayoutChoice> T>
void describe(Archive& a, T& v) {
  a.required("layout", v.layout);
  a.required("lanes", v.lanes);
  a.required("pitch", v.pitch);
  a.required("wavefronts", v.wavefronts);
  a.required("conflicts", v.conflicts);
  a.required("checked", v.checked);
}

template <class Archive, Like<SwizzleAdvice> T>
void describe(Archive& a, T& v) {
  a.required("row_bytes", v.row_bytes);
  a.required("access", v.access);
  a.required("fewest", v.fewest);
  a.required("layouts", v.layouts);
}

template <class Archive, Like<SoftmaxPart> T>
void describe(Archive& a, T& v) {
  a.required("instruction", v.instruction);
  a.required("pipe", v.pipe);
  a.required("each", v.each);
  a.optional("cycles", v.cycles);
  a.optional("hidden", v.hidden);
  a.optional("row", v.row);
}

template <class Archive, Like<AttentionAdvice> T>
void describe(Archive& a, T& v) {
  a.required("head", v.head);
  a.required("keys", v.keys);
  a.required("degree", v.degree);
  a.required("type", v.type);
  a.optional("tensor", v.tensor);
  a.optional("exponential", v.exponential);
  a.optional("ratio", v.ratio);
  a.optional("serial", v.serial);
  a.optional("overlapped_low", v.overlapped_low);
  a.optional("overlapped_high", v.overlapped_high);
  a.optional("both", v.both);
  a.required("parts", v.parts);
  a.optional("softmax", v.softmax);
  a.optional("polynomial", v.polynomial);
  a.optional("softmax_balanced", v.softmax_balanced);
  a.optional("polynomial_needed", v.polynomial_needed);
}

template <class Archive, Like<OccupancyStep> T>
void describe(Archive& a, T& v) {
  a.required("what", v.what);
  a.required("registers", v.registers);
  a.required("shared_bytes", v.shared_bytes);
  a.required("blocks", v.blocks);
  a.required("warps", v.warps);
}

template <class Archive, Like<WarpGain> T>
void describe(Archive& a, T& v) {
  a.required("level", v.level);
  a.required("loads", v.loads);
  a.optional("now", v.now);
  a.optional("next", v.next);
}

template <class Archive, Like<LoopWarps> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("chain", v.chain);
  a.required("issue", v.issue);
  a.required("warps", v.warps);
}

template <class Archive, Like<KernelOccupancy> T>
void describe(Archive& a, T& v) {
  a.required("name", v.name);
  a.required("registers", v.registers);
  a.required("shared_bytes", v.shared_bytes);
  a.required("threads", v.threads);
  a.required("blocks", v.blocks);
  a.required("warps", v.warps);
  a.required("limits", v.limits);
  a.optional("next", v.next);
  a.optional("gains", v.gains);
  a.required("loops", v.loops);
}

template <class Archive, Like<OccupancyAdvice> T>
void describe(Archive& a, T& v) {
  a.required("file", v.file);
  a.required("kernels", v.kernels);
}

template <class Archive, Like<Advice> T>
void describe(Archive& a, T& v) {
  a.optional("pipeline", v.pipeline);
  a.optional("bandwidth", v.bandwidth);
  a.optional("swizzle", v.swizzle);
  a.optional("attention", v.attention);
  a.optional("occupancy", v.occupancy);
  a.required("gpu", v.gpu);
  a.required("arch", v.arch);
  a.required("used", v.used);
  a.required("checks", v.checks);
  a.required("unknown", v.unknown);
}

namespace {

constexpr const char* record_name = "advise";

Json advice_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Advice& advice) {
  Json out = {{"schema", advice_version()}, {"record", record_name}};
  const Json members = JsonWriter::write(advice);
  for (const auto& [key, value] : members.items()) out[key] = value;
  return pretty(out);
}

std::string advice_schema() {
  Json out = JsonSchema::of<Advice>();
  out["title"] = "warpclock advice";
  out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  out["properties"]["schema"] = {{"const", advice_version()}};
  out["properties"]["record"] = {{"const", record_name}};
  out["required"].push_back("schema");
  out["required"].push_back("record");
  return pretty(out);
}

}  // namespace warpclock
