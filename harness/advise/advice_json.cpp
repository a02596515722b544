#include "advise/advice_output.hpp"
#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"

namespace warpclock {

void describe(auto& a, Like<UsedNumber> auto& v) {
  WARPCLOCK_REQUIRED(name, value, low, high, unit, rows, record, gpu, date, commit);
  WARPCLOCK_OPTIONAL(note);
}

void describe(auto& a, Like<ModelCheck> auto& v) { WARPCLOCK_REQUIRED(of, predictions, mean_absolute, furthest, row); }

void describe(auto& a, Like<StageChoice> auto& v) {
  WARPCLOCK_REQUIRED(stages, shared_bytes, fits);
  WARPCLOCK_OPTIONAL(cycles, share, limit);
}

void describe(auto& a, Like<MeasuredKernel> auto& v) { WARPCLOCK_REQUIRED(row, stages, cycles, share); }

void describe(auto& a, Like<PipelineAdvice> auto& v) {
  WARPCLOCK_REQUIRED(m, n, k, type, from, tiles, multiply, multiplies, step_bytes, warp_groups, accumulators);
  WARPCLOCK_OPTIONAL(tensor, copy, rate, queue, best);
  WARPCLOCK_REQUIRED(choices);
  WARPCLOCK_OPTIONAL(measured);
}

void describe(auto& a, Like<RateTarget> auto& v) {
  WARPCLOCK_REQUIRED(share);
  WARPCLOCK_OPTIONAL(bytes, warps, loads, rate, row, asked_loads, asked_warps, total_bytes);
}

void describe(auto& a, Like<BandwidthAdvice> auto& v) {
  WARPCLOCK_REQUIRED(level, width);
  WARPCLOCK_OPTIONAL(warps, bytes, latency, rate, most_loads, gigabytes, sm_mhz, cycles, reached);
  WARPCLOCK_REQUIRED(targets);
}

void describe(auto& a, Like<LayoutChoice> auto& v) {
  WARPCLOCK_REQUIRED(layout, lanes, pitch, wavefronts, conflicts, checked);
}

void describe(auto& a, Like<SwizzleAdvice> auto& v) { WARPCLOCK_REQUIRED(row_bytes, access, fewest, layouts); }

void describe(auto& a, Like<SoftmaxPart> auto& v) {
  WARPCLOCK_REQUIRED(instruction, pipe, each);
  WARPCLOCK_OPTIONAL(cycles, hidden, row);
}

void describe(auto& a, Like<AttentionAdvice> auto& v) {
  WARPCLOCK_REQUIRED(head, keys, degree, type);
  WARPCLOCK_OPTIONAL(tensor, exponential, ratio, serial, overlapped_low, overlapped_high, both);
  WARPCLOCK_REQUIRED(parts);
  WARPCLOCK_OPTIONAL(softmax, polynomial, softmax_balanced, polynomial_needed);
}

void describe(auto& a, Like<OccupancyStep> auto& v) {
  WARPCLOCK_REQUIRED(what, registers, shared_bytes, blocks, warps);
}

void describe(auto& a, Like<WarpGain> auto& v) {
  WARPCLOCK_REQUIRED(level, loads);
  WARPCLOCK_OPTIONAL(now, next);
}

void describe(auto& a, Like<LoopWarps> auto& v) { WARPCLOCK_REQUIRED(id, chain, issue, warps); }

void describe(auto& a, Like<KernelOccupancy> auto& v) {
  WARPCLOCK_REQUIRED(name, registers, shared_bytes, threads, blocks, warps, limits);
  WARPCLOCK_OPTIONAL(next, gains);
  WARPCLOCK_REQUIRED(loops);
}

void describe(auto& a, Like<OccupancyAdvice> auto& v) { WARPCLOCK_REQUIRED(file, kernels); }

void describe(auto& a, Like<Advice> auto& v) {
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
