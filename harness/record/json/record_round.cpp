#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

/// To that many significant digits.
void round_to(double& value, int digits) {
  if (!std::isfinite(value)) return;
  const std::string text = fmt::format("{:.{}g}", value, digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
}

double rounded_cycles(double cycles) {
  constexpr double widest = 1e13;  // beyond, a hundredth has no bits of its own
  return std::abs(cycles) < widest ? std::round(cycles * 100) / 100 : cycles;
}

void round_estimate(Estimate& estimate) {
  for (double* value : {&estimate.value, &estimate.low, &estimate.high}) round_to(*value, 5);
}

void round_latency(DependencyLatency& latency) {
  if (latency.cycles) round_estimate(*latency.cycles);
  round_to(latency.through_cycles, 5);
}

void round_cell(IssueCell& cell) {
  for (double* value : {&cell.cycles, &cell.low, &cell.high}) round_to(*value, 5);
  for (auto& [n, cycles] : cell.curve) cycles = rounded_cycles(cycles);
}

void round_run(InstructionRun& run) {
  constexpr std::size_t hash_characters = 8;  // distinguishes the windows of a table
  if (run.sass_hash.size() > hash_characters) run.sass_hash.resize(hash_characters);
  if (run.encoded_cycles) round_to(*run.encoded_cycles, 5);
  for (auto& [companion, cycles] : run.via) round_to(cycles, 5);
  for (auto& [warps, samples] : run.samples) {
    for (Series& series : samples) {
      for (double& cycles : series.cycles) cycles = rounded_cycles(cycles);
    }
  }
}

void round_row(InstructionRecord& row) {
  for (InstructionRun& run : row.runs) round_run(run);
  for (Estimate& e : row.estimates) round_estimate(e);
  for (ThroughputPoint& point : row.curve) round_to(point.rate, 5);
  for (auto& [metric, value] : row.counters) round_to(value, 6);
  for (double* value : {&row.clock.sm_mhz, &row.clock.sm_low_mhz, &row.clock.sm_high_mhz, &row.clock.memory_mhz,
                        &row.clock.power_w, &row.clock.temperature_c}) {
    round_to(*value, 5);
  }
}

}  // namespace

InstructionTable rounded(InstructionTable table) {
  for (InstructionRecord& row : table.rows) round_row(row);
  for (GuideLine& line : table.guide.lines) {
    for (double* value : {&line.measured, &line.low, &line.high, &line.ratio}) round_to(*value, 6);
  }
  return table;
}

MachineTable rounded(MachineTable table) {
  for (MachineRow& row : table.rows) {
    if (row.interval) round_estimate(*row.interval);
    std::ranges::for_each(row.latencies, round_latency);
    std::ranges::for_each(row.cells, round_cell);
  }
  for (ProducerConsumer& one : table.dependences) round_latency(one.latency);
  for (auto* studies : {&table.pairs, &table.banks, &table.fetch, &table.with_multiplies, &table.between_warps}) {
    for (IssueStudy& study : *studies) {
      if (study.interval) round_estimate(*study.interval);
      std::ranges::for_each(study.cells, round_cell);
    }
  }
  return table;
}

}  // namespace warpclock
