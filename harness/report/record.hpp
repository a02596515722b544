#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/estimate.hpp"
#include "gpu/device.hpp"
#include "gpu/samples.hpp"
#include "plan/measure.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"

namespace warpclock {

struct Provenance {
  std::string commit, version, toolkit, nvrtc, nvdisasm, driver, date;
  bool dirty = false;
  std::vector<std::string> argv;
  int host_cores = 0;
  double duration_s = 0;
  double compile_s = 0;
  double measure_s = 0;
  std::string counters;  ///< "available", or why not

  bool operator==(const Provenance&) const = default;
};

enum class Outcome { Measured, Rejected, Skipped, Failed };

struct WindowRecord {
  std::string verdict;                               ///< "verified" or the reason's code
  std::vector<std::pair<std::string, int>> opcodes;  ///< at the smallest repeat count
  std::string sass_hash;                             ///< over every repeat count's window
  std::optional<double> encoded_cycles;
  std::vector<std::string> sass;  ///< the window at the smallest repeat count, or of the first rejected one; a line an
                                  ///< instruction
  std::string label;              ///< "emulated: ..." or empty

  bool operator==(const WindowRecord&) const = default;
};

struct Reason {
  std::string stage, code, text;

  bool operator==(const Reason&) const = default;
};

/// One row: a case and all that is known about it.
struct CaseRecord {
  std::string id, probe, family, arch;
  Parameters parameters;
  Outcome outcome = Outcome::Measured;
  Reason reason;
  WindowRecord window;
  std::string ptx;  ///< what the window's SASS came from
  std::vector<Measure> measures;
  std::vector<PremiseRule> premise_rules;
  Samples samples;
  std::map<std::string, double> facts;
  std::map<std::string, double> counters;  ///< metric of configs/counters.yaml -> value
  std::string counters_missing;
  std::vector<Estimate> estimates;
  std::vector<Premise> premises;
  ClockReading clock;

  bool operator==(const CaseRecord&) const = default;
};

/// What a renderer needs to know of a probe, so that a report can be made from result.json alone.
struct ProbeRecord {
  std::string name, family, asks;  ///< name is what CaseRecord::probe says: "shuffle/latency"
  Chart chart;

  bool operator==(const ProbeRecord&) const = default;
};

struct MetricRecord {
  std::string name, unit, text;

  bool operator==(const MetricRecord&) const = default;
};

/// result.json: the truth of a run.
struct Record {
  Provenance provenance;
  DeviceFacts device;
  std::vector<ProbeRecord> probes;
  std::vector<MetricRecord> metrics;
  std::vector<CaseRecord> cases;

  bool operator==(const Record&) const = default;
};

}  // namespace warpclock
