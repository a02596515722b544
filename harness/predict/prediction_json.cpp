#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "predict/prediction_output.hpp"

namespace warpclock {

void describe(auto& a, Like<LoopPrediction> auto& v) {
  WARPCLOCK_REQUIRED(id, begin, end);
  WARPCLOCK_OPTIONAL(trips, trips_from);
  WARPCLOCK_OPTIONAL(never_entered);
  WARPCLOCK_REQUIRED(low, high);
}

void describe(auto& a, Like<MissingNumber> auto& v) {
  WARPCLOCK_OPTIONAL(address);
  WARPCLOCK_REQUIRED(why, fix);
}

void describe(auto& a, Like<LowerBound> auto& v) { WARPCLOCK_REQUIRED(name, cycles, share); }

void describe(auto& a, Like<InstructionWait> auto& v) { WARPCLOCK_REQUIRED(address, text, issues, cycles, why); }

void describe(auto& a, Like<UnknownCost> auto& v) { WARPCLOCK_REQUIRED(instruction, what, addresses); }

void describe(auto& a, Like<TimelineIssue> auto& v) {
  WARPCLOCK_REQUIRED(warp, cycle, address, instruction);
  WARPCLOCK_OPTIONAL(pipe, busy, why, paths);
}

void describe(auto& a, Like<Prediction> auto& v) {
  WARPCLOCK_REQUIRED(file, kernel, readable, gpu, arch);
  WARPCLOCK_OPTIONAL(window, launch_assumed, level);
  WARPCLOCK_REQUIRED(blocks, threads, blocks_per_sm, sms, waves);
  WARPCLOCK_OPTIONAL(low, high, sm_low, sm_high, missing);
  WARPCLOCK_REQUIRED(limiter, bounds, loops, waits);
  WARPCLOCK_OPTIONAL(unknown, assumed, timeline);
}

void describe(auto& a, Like<FailedPrediction> auto& v) {
  WARPCLOCK_OPTIONAL(kernel, readable);
  WARPCLOCK_REQUIRED(why);
}

/// What `predict --json` prints.
struct Predictions {
  std::vector<Prediction> kernels;
  std::vector<FailedPrediction> failed;
};

void describe(auto& a, Like<Predictions> auto& v) {
  WARPCLOCK_REQUIRED(kernels);
  WARPCLOCK_OPTIONAL(failed);
}

namespace {

constexpr const char* record_name = "predict";

Json prediction_version() { return {{"major", 1}, {"minor", 2}, {"patch", 0}}; }

}  // namespace

std::string to_json(const std::vector<Prediction>& predictions, const std::vector<FailedPrediction>& failed) {
  return record_text(prediction_version(), record_name, JsonWriter::write(Predictions{predictions, failed}));
}

std::string prediction_schema() {
  return record_schema_text("warpclock prediction", {{"const", prediction_version()}}, record_name,
                            JsonSchema::of<Predictions>());
}

}  // namespace warpclock
