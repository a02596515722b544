#include <cmath>
#include <cstddef>

#include "record/json/instruction_json.hpp"
#include "record/json/row_json.hpp"

namespace warpclock {
namespace {

void round_run(InstructionRun& run) {
  constexpr std::size_t hash_characters = 8;  // tells the windows of a table apart
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
  for (Estimate& e : row.estimates) {
    for (double* value : {&e.value, &e.low, &e.high}) round_to(*value, 5);
  }
  for (ThroughputPoint& point : row.curve) round_to(point.rate, 5);
  for (auto& [metric, value] : row.counters) round_to(value, 6);
  for (double* value : {&row.clock.sm_mhz, &row.clock.memory_mhz, &row.clock.power_w, &row.clock.temperature_c}) {
    round_to(*value, 5);
  }
}

}  // namespace

double rounded_cycles(double cycles) {
  constexpr double widest = 1e13;  // beyond, a hundredth has no bits of its own
  return std::abs(cycles) < widest ? std::round(cycles * 100) / 100 : cycles;
}

InstructionTable rounded(InstructionTable table) {
  for (InstructionRecord& row : table.rows) round_row(row);
  for (GuideLine& line : table.guide.lines) {
    for (double* value : {&line.measured, &line.low, &line.high, &line.ratio}) round_to(*value, 6);
  }
  return table;
}

}  // namespace warpclock
