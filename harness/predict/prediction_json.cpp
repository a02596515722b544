#include "predict/prediction_json.hpp"

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

void describe(auto& a, Like<LoopPrediction> auto& v) {
  a.required("id", v.id);
  a.required("begin", v.begin);
  a.required("end", v.end);
  a.optional("trips", v.trips);
  a.optional("trips_from", v.trips_from);
  a.required("low", v.low);
  a.required("high", v.high);
}

void describe(auto& a, Like<LowerBound> auto& v) {
  a.required("name", v.name);
  a.required("cycles", v.cycles);
  a.required("share", v.share);
}

void describe(auto& a, Like<InstructionWait> auto& v) {
  a.required("address", v.address);
  a.required("text", v.text);
  a.required("issues", v.issues);
  a.required("cycles", v.cycles);
  a.required("why", v.why);
}

void describe(auto& a, Like<UnknownCost> auto& v) {
  a.required("instruction", v.instruction);
  a.required("what", v.what);
  a.required("addresses", v.addresses);
}

void describe(auto& a, Like<TimelineIssue> auto& v) {
  a.required("warp", v.warp);
  a.required("cycle", v.cycle);
  a.required("address", v.address);
  a.required("instruction", v.instruction);
  a.optional("pipe", v.pipe);
  a.optional("busy", v.busy);
  a.optional("why", v.why);
  a.optional("paths", v.paths);
}

void describe(auto& a, Like<Prediction> auto& v) {
  a.required("file", v.file);
  a.required("kernel", v.kernel);
  a.required("readable", v.readable);
  a.required("gpu", v.gpu);
  a.required("arch", v.arch);
  a.optional("window", v.window);
  a.required("blocks", v.blocks);
  a.required("threads", v.threads);
  a.required("blocks_per_sm", v.blocks_per_sm);
  a.required("sms", v.sms);
  a.required("waves", v.waves);
  a.optional("low", v.low);
  a.optional("high", v.high);
  a.optional("sm_low", v.sm_low);
  a.optional("sm_high", v.sm_high);
  a.required("limiter", v.limiter);
  a.required("bounds", v.bounds);
  a.required("loops", v.loops);
  a.required("waits", v.waits);
  a.optional("unknown", v.unknown);
  a.optional("assumed", v.assumed);
  a.optional("timeline", v.timeline);
}

void describe(auto& a, Like<FailedPrediction> auto& v) {
  a.optional("kernel", v.kernel);
  a.optional("readable", v.readable);
  a.required("why", v.why);
}

/// What `predict --json` prints.
struct Predictions {
  std::vector<Prediction> kernels;
  std::vector<FailedPrediction> failed;
};

void describe(auto& a, Like<Predictions> auto& v) {
  a.required("kernels", v.kernels);
  a.optional("failed", v.failed);
}

namespace {

constexpr const char* record_name = "predict";

Json prediction_version() { return {{"major", 1}, {"minor", 1}, {"patch", 0}}; }

}  // namespace

std::string to_json(const std::vector<Prediction>& predictions, const std::vector<FailedPrediction>& failed) {
  Json out = {{"schema", prediction_version()}, {"record", record_name}};
  const Json members = JsonWriter::write(Predictions{predictions, failed});
  for (const auto& [key, value] : members.items()) out[key] = value;
  return pretty(out);
}

std::string prediction_schema() {
  Json out = JsonSchema::of<Predictions>();
  out["title"] = "warpclock prediction";
  out["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  out["properties"]["schema"] = {{"const", prediction_version()}};
  out["properties"]["record"] = {{"const", record_name}};
  out["required"].push_back("schema");
  out["required"].push_back("record");
  return pretty(out);
}

}  // namespace warpclock
