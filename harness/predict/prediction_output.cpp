#include "predict/prediction_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "inspect/inspection_output.hpp"

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

void describe(auto& a, Like<AnnotatedInstruction> auto& v) {
  WARPCLOCK_REQUIRED(address, text);
  WARPCLOCK_OPTIONAL(file, line);
  WARPCLOCK_REQUIRED(executed, cycles, wait, share);
  WARPCLOCK_OPTIONAL(why, l1, l2, dram);
}

void describe(auto& a, Like<EnergyPart> auto& v) { WARPCLOCK_REQUIRED(name, joules); }

void describe(auto& a, Like<PredictedEnergy> auto& v) {
  WARPCLOCK_REQUIRED(joules, low_j, high_j, seconds, parts);
  WARPCLOCK_OPTIONAL(unmeasured, missing);
}

void describe(auto& a, Like<Prediction> auto& v) {
  WARPCLOCK_REQUIRED(file, kernel, readable, gpu, arch);
  WARPCLOCK_OPTIONAL(window, launch_assumed, level);
  WARPCLOCK_REQUIRED(blocks, threads, blocks_per_sm, sms, waves);
  WARPCLOCK_OPTIONAL(low, high, drain, clock_part, sm_low, sm_high, missing);
  WARPCLOCK_REQUIRED(limiter, bounds, loops, waits);
  WARPCLOCK_OPTIONAL(unknown, assumed, timeline, instructions, energy);
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

Json prediction_version() { return {{"major", 1}, {"minor", 4}, {"patch", 0}}; }

}  // namespace

std::string to_json(const std::vector<Prediction>& predictions, const std::vector<FailedPrediction>& failed) {
  return record_text(prediction_version(), record_name, JsonWriter::write(Predictions{predictions, failed}));
}

std::string prediction_schema() {
  return record_schema_text("warpclock prediction", {{"const", prediction_version()}}, record_name,
                            JsonSchema::of<Predictions>());
}

namespace {

std::string number(double value) {
  const double tenths = std::round(value * 10) / 10;
  return tenths == std::floor(tenths) || tenths >= 1000 ? fmt::format("{:.0f}", tenths) : fmt::format("{:.1f}", tenths);
}

std::string total_text(const Prediction& one) {
  if (one.window) return range_text(*one.sm_low, *one.sm_high) + " from the first clock read to the last";
  std::string text = range_text(*one.low, *one.high);
  if (one.waves <= 1) return text;
  return text + fmt::format(", {} waves of {} each", number(one.waves), range_text(*one.sm_low, *one.sm_high));
}

std::string joules(double value) {
  return value < 1e-3 ? human_number(value * 1e6, 3) + " uJ" : human_number(value * 1e3, 3) + " mJ";
}

void add_energy(std::vector<std::string>& lines, const PredictedEnergy& one) {
  constexpr std::size_t most = 5;
  if (!one.missing.empty()) return lines.push_back("unknown: no row has that of " + one.missing);
  lines.push_back(fmt::format("{} with random data (from {} with zeros to {}), {:.0f} W", joules(one.joules),
                              joules(one.low_j), joules(one.high_j), one.joules / one.seconds));
  std::vector<std::string> parts;
  for (const EnergyPart& part : one.parts)
    if (parts.size() < most) parts.push_back(fmt::format("{} {:.0f} %", part.name, 100 * part.joules / one.joules));
  lines.push_back("for " + join(parts, ", "));
  if (one.unmeasured.empty()) return;
  lines.push_back("not measured, taken as the cheapest instruction: " + join_first(one.unmeasured, most));
}

std::string limits_text(const Prediction& one) {
  constexpr std::size_t most = 4;
  std::vector<std::string> parts;
  for (const LowerBound& bound : one.bounds)
    if (parts.size() < most) parts.push_back(fmt::format("{} {:.0f} %", bound.name, 100 * bound.share));
  return join(parts, ", ");
}

std::string loop_text(const LoopPrediction& loop) {
  const std::string trips = loop.trips ? fmt::format("{} by {}", counted(*loop.trips, "trip"), loop.trips_from)
                                       : std::string("trips not known");
  const std::string where = fmt::format("{} to {}: ", address_text(loop.begin), address_text(loop.end));
  if (loop.never_entered || loop.trips == 0) return where + "never entered, " + trips;
  if (loop.trips == 1 && loop.high == 0) return where + "once, " + loop.trips_from;
  return where + fmt::format("{} cycles a trip, {}", range_text(loop.low, loop.high), trips);
}

}  // namespace

std::string range_text(double low, double high) {
  return number(low) == number(high) ? number(low) : number(low) + " to " + number(high);
}

Sheet prediction_sheet(const Prediction& one) {
  Sheet sheet{.title = one.readable};
  const auto add = [&](std::string name, std::string text) {
    sheet.facts.push_back({std::move(name), "", std::move(text)});
  };
  add("launch", fmt::format("{}{} of {} threads, {} on each of {} SMs at once",
                            one.launch_assumed ? "assumed, as --launch gives none: " : "", counted(one.blocks, "block"),
                            one.threads, one.blocks_per_sm, one.sms));
  add("level", one.level);
  if (one.low) add("cycles", total_text(one));
  for (const MissingNumber& each : one.missing)
    if (!one.low) add("cycles", fmt::format("unknown: {}; {}", each.why, each.fix));
  if (one.drain > 0) add("drain", number(one.drain) + " cycles more until the GPU has seen all blocks end");
  if (one.low && one.clock_part && *one.clock_part < 1)
    add("clock", fmt::format("{:.1f} % of the SM clock are left while its tensor cores run", 100 * *one.clock_part));
  if (one.low && !one.clock_part)
    add("clock", "by how much tensor cores lower the SM clock is not measured on this GPU");
  std::vector<std::string> energy;
  if (one.energy) add_energy(energy, *one.energy);
  for (const std::string& line : energy) add("energy", line);
  add("limiter", limits_text(one));
  for (const LoopPrediction& loop : one.loops) add(fmt::format("loop {}", loop.id), loop_text(loop));
  for (const InstructionWait& wait : one.waits)
    add("waits", fmt::format("{} {}: {} cycles, {}", address_text(wait.address),
                             wait.text.substr(0, wait.text.find(' ')), number(wait.cycles), wait.why));
  for (const UnknownCost& unknown : one.unknown) add("unknown", unknown.instruction + ": " + unknown.what);
  for (const std::string& assumed : one.assumed) add("assumed", assumed);
  return sheet;
}

Sheet failure_sheet(const FailedPrediction& failed) {
  return {.title = failed.kernel.empty() ? "kernels of a cubin" : failed.readable,
          .facts = {{"failed", "", failed.why}}};
}

}  // namespace warpclock
