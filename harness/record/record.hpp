#pragma once

#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/watch.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"
#include "record/row.hpp"

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
  GpuEvents gpu_events;             ///< of the GPU during the run

  bool operator==(const Provenance&) const = default;
};

/// A number that answers a probe's question.
struct Headline {
  std::string name;              ///< the estimate, or what it is: "L1, latency"
  std::string value;             ///< as it is printed: "23.00", "23.0 – 29.1", "64 KiB", "none"
  std::optional<double> number;  ///< if it is one
  double low = 0, high = 0;      ///< interval of the number; without one the range, or 0 for words
  std::string unit;              ///< of the number, as in an estimate
  std::string all_sms;           ///< "33405 GB/s" in addition to B/clk/SM; usually empty
  std::string detail;            ///< "4 cases", "highest of 24, at warps=16 ilp=4"
  std::string row, of;  ///< if it is that of one row: its id and the estimate; of a curve the probe and what was
                        ///< found

  bool operator==(const Headline&) const = default;
};

/// What a renderer must know about a probe, so that a report can be made from result.json alone.
struct ProbeRecord {
  std::string name, family, asks;  ///< `name` equals Row::probe: "shuffle/latency"
  Chart chart;
  std::string along;  ///< the parameter along which its curves run, or empty
  std::vector<FeatureQuery> finds;
  std::string varies;             ///< why its numbers may differ in another process, or empty
  std::vector<Headline> answers;  ///< of a record that is written (finished())

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

/// An operation from a row of NVIDIA's table of results per clock and SM, and its measurement.
struct GuideLine {
  std::string row, brief;  ///< "warp vote", "vote"
  std::string operation;   ///< "any"
  std::string id;          ///< the counterpart: the plain form of the instruction, if it has a rate
  int results = 1;         ///< of one instruction; `measured` includes this factor
  double documented = 0;   ///< 0 if the guide gives no number
  bool several = false;    ///< the guide says "multiple instructions"
  double measured = 0, low = 0, high = 0;
  double ratio = 0;     ///< measured / documented; 0 if one is missing
  std::string verdict;  ///< "meets", "below", "above", "no rate", "not measured", "no counterpart"
  std::string trick;    ///< how the copies of the counterpart were kept apart
  std::string source;   ///< where the documented number was read
  std::string because;  ///< why an instruction has several results
  std::string unconfirmed, why;

  bool operator==(const GuideLine&) const = default;
};

struct GuideComparison {
  std::string title;    ///< "CUDA C++ Programming Guide 12.8.1, Table 4"
  std::string missing;  ///< why there are no lines
  std::vector<GuideLine> lines;

  bool operator==(const GuideComparison&) const = default;
};

/// The files that records are in, in the order in which pages link to them.
enum class RecordFile { Result, Instructions, Machine, Cases };

constexpr std::array<RecordFile, 4> every_record_file = {RecordFile::Result, RecordFile::Instructions,
                                                         RecordFile::Machine, RecordFile::Cases};

template <>
inline constexpr auto enum_words<RecordFile> =
    std::array<std::string_view, 4>{"result", "instructions", "machine", "cases"};

/// The rows of a run on one GPU, with what is needed to read them. Of machine.json the forms come first.
struct Record {
  RecordFile file = RecordFile::Result;
  Provenance provenance;
  DeviceFacts device;  ///< of the measurements; of kernels without any, that of the model
  std::vector<ProbeRecord> probes;
  std::vector<MetricRecord> metrics;
  std::vector<Row> rows;
  std::vector<Feature> features;           ///< the result of find_features() for the above
  GuideComparison guide;                   ///< of instructions.json
  std::string model;                       ///< of cases.json: the GPU with whose costs was predicted
  std::vector<std::string> model_records;  ///< "result.json b6a2bb9 2026-11-24"

  bool operator==(const Record&) const = default;
};

/// Its rows of one kind, in their order.
[[nodiscard]] inline auto rows_of(const Record& record, RowKind kind) {
  return record.rows | std::views::filter([kind](const Row& row) { return row.kind == kind; });
}

}  // namespace warpclock
