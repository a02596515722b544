#include "advise/advice_json.hpp"

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

template <class Archive, Like<UsedNumber> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, value, low, high, unit, rows, record, gpu, date, commit);
  WARPCLOCK_OPTIONAL(note);
}

template <class Archive, Like<ModelCheck> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(of, predictions, mean_absolute, furthest, row);
}

template <class Archive, Like<StageChoice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(stages, shared_bytes, fits);
  WARPCLOCK_OPTIONAL(cycles, share, limit);
}

template <class Archive, Like<PipelineAdvice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(m, n, k, type, from, multiply, multiplies, step_bytes, warp_groups, accumulators);
  WARPCLOCK_OPTIONAL(tensor, copy, rate, queue, best);
  WARPCLOCK_REQUIRED(choices);
}

template <class Archive, Like<RateTarget> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(share);
  WARPCLOCK_OPTIONAL(bytes, warps, loads, rate, row, asked_loads, asked_warps, total_bytes);
}

template <class Archive, Like<BandwidthAdvice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(level, width);
  WARPCLOCK_OPTIONAL(warps, bytes, latency, rate, most_loads, gigabytes, cycles, reached);
  WARPCLOCK_REQUIRED(targets);
}

template <class Archive, Like<LayoutChoice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(layout, lanes, pitch, wavefronts, conflicts, checked);
}

template <class Archive, Like<SwizzleAdvice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(row_bytes, access, fewest, layouts);
}

template <class Archive, Like<SoftmaxPart> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(instruction, pipe, each);
  WARPCLOCK_OPTIONAL(cycles, hidden, row);
}

template <class Archive, Like<AttentionAdvice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(head, keys, degree, type);
  WARPCLOCK_OPTIONAL(tensor, exponential, ratio, serial, overlapped_low, overlapped_high, both);
  WARPCLOCK_REQUIRED(parts);
  WARPCLOCK_OPTIONAL(softmax, polynomial, softmax_balanced, polynomial_needed);
}

template <class Archive, Like<OccupancyStep> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(what, registers, shared_bytes, blocks, warps);
}

template <class Archive, Like<WarpGain> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(level, loads);
  WARPCLOCK_OPTIONAL(now, next);
}

template <class Archive, Like<LoopWarps> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, chain, issue, warps);
}

template <class Archive, Like<KernelOccupancy> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(name, registers, shared_bytes, threads, blocks, warps, limits);
  WARPCLOCK_OPTIONAL(next, gains);
  WARPCLOCK_REQUIRED(loops);
}

template <class Archive, Like<OccupancyAdvice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(file, kernels);
}

template <class Archive, Like<Advice> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_OPTIONAL(pipeline, bandwidth, swizzle, attention, occupancy);
  WARPCLOCK_REQUIRED(gpu, arch, used, checks, unknown);
}

namespace {

constexpr const char* record_name = "advise";

Json advice_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

}  // namespace

std::string to_json(const Advice& advice) {
  return record_text(advice_version(), record_name, JsonWriter::write(advice));
}

std::string advice_schema() {
  return record_schema_text("warpclock advice", {{"const", advice_version()}}, record_name, JsonSchema::of<Advice>());
}

}  // namespace warpclock
