#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimates.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/samples.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// Rows of a record that earlier runs measured, which were stopped: this run went on from their journal.
struct ResumedRows {
  int rows = 0;
  std::string first_run;  ///< when the first of those runs began, as Provenance::date

  bool operator==(const ResumedRows&) const = default;
};

struct Provenance {
  std::string commit, version, toolkit, nvrtc, nvdisasm, driver, date;
  std::string ptxas;  ///< version of ptxas for kernels that NVRTC does not compile
  bool dirty = false;
  std::vector<std::string> argv;
  std::string host;  ///< the node's name
  std::string job;   ///< of a scheduler or launcher: "Slurm job 4711, task 3"; or empty
  int host_cores = 0;
  double duration_s = 0;
  double compile_s = 0;
  double measure_s = 0;
  std::string counters;             ///< "available", or why there are no counters
  std::vector<std::string> others;  ///< other processes on the GPU at the start, as text
  ResumedRows resumed;              ///< of the rows in the record
  TimerRatio timer;                 ///< the clock that measures the SM clock, against the host's
  double most_power_w = 0;          ///< of the board during the run: NVML's highest mean over a second or so

  bool operator==(const Provenance&) const = default;
};

enum class Outcome {
  Measured,
  Unsteady,  ///< cycles do not grow linearly and the probe says that they may not: a range, not a failure
  Rejected,
  Skipped,
  Failed
};

struct WindowRecord {
  std::string verdict;                               ///< "verified" or the code of the reason
  std::vector<std::pair<std::string, int>> opcodes;  ///< at the smallest repeat count
  std::string sass_hash;                             ///< over every repeat count's window
  std::optional<double> encoded_cycles;
  std::vector<std::string> sass;  ///< the window at the smallest repeat count, or of the first rejected one; one line
                                  ///< for each instruction
  std::string label;              ///< "emulated: ..." or empty

  [[nodiscard]] bool verified() const { return verdict == verified_code; }
  bool operator==(const WindowRecord&) const = default;
};

struct Reason {
  std::string stage, code, text;

  bool operator==(const Reason&) const = default;
};

/// One row: a case and everything known about it.
struct CaseRecord {
  std::string id, probe, family, arch;
  Parameters parameters;
  Outcome outcome = Outcome::Measured;
  Reason reason;
  WindowRecord window;
  std::string ptx;  ///< the PTX from which the window's SASS was made
  std::vector<Measure> measures;
  std::vector<PremiseRule> premise_rules;
  Samples samples;
  std::map<std::string, double> facts;
  std::vector<double> places;              ///< one for each place (usually an SM), 0 if none reported; see Places
  std::map<std::string, double> counters;  ///< metric of configs/counters.yaml -> value
  std::string counters_missing;
  std::vector<Estimate> estimates;
  std::vector<Premise> premises;
  ClockReading clock;

  bool operator==(const CaseRecord&) const = default;
};

/// What a renderer must know about a probe, so that a report can be made from result.json alone.
struct ProbeRecord {
  std::string name, family, asks;  ///< `name` equals CaseRecord::probe: "shuffle/latency"
  Chart chart;
  std::string along;  ///< the parameter along which its curves run, or empty
  std::vector<FeatureQuery> finds;
  std::string varies;  ///< why its numbers may differ in another process, or empty

  bool operator==(const ProbeRecord&) const = default;
};

/// A feature of a curve: a level, a size, a distance.
struct Feature {
  std::string probe;
  Parameters parameters;  ///< of the curve: those of its cases without the axis
  std::string name;       ///< "latency.1", "footprint.1"
  double value = 0;
  double low = 0, high = 0;
  std::string unit;         ///< of the measure; empty for a position on the axis
  double confidence = 0;    ///< probability that low..high holds it, if the analysis gives one
  double residual = 0;      ///< for a level: the largest distance of a point from it, as a share
  double from = 0, to = 0;  ///< for a level: its first and last position on the axis
  std::string where;        ///< "L1", "L2", "DRAM" if the counters of its points show it
  std::string note;

  bool operator==(const Feature&) const = default;
};

struct MetricRecord {
  std::string name, unit, text;

  bool operator==(const MetricRecord&) const = default;
};

/// result.json: all data of a run.
struct Record {
  Provenance provenance;
  DeviceFacts device;
  std::vector<ProbeRecord> probes;
  std::vector<MetricRecord> metrics;
  std::vector<CaseRecord> cases;
  std::vector<Feature> features;  ///< the result of find_features() for the above

  bool operator==(const Record&) const = default;
};

constexpr std::array<Outcome, 5> outcomes = {Outcome::Measured, Outcome::Unsteady, Outcome::Rejected, Outcome::Skipped,
                                             Outcome::Failed};

template <>
inline constexpr auto enum_words<Outcome> =
    std::array<std::string_view, 5>{"measured", "unsteady", "rejected", "skipped", "failed"};

/// Only few probes have rows that may be unsteady, so a count of zero is not worth showing.
[[nodiscard]] constexpr bool worth_telling(Outcome outcome, std::int64_t count) {
  return count > 0 || outcome != Outcome::Unsteady;
}

}  // namespace warpclock
