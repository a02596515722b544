#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/estimates.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/samples.hpp"
#include "record/record.hpp"

namespace warpclock {

/// One series of kernels of an instruction: the window that was timed and its samples.
struct InstructionRun {
  std::string measure;                               ///< "latency.a", "throughput.ilp4"
  std::string verdict;                               ///< "verified" or the code of the reason
  std::string text;                                  ///< why not; empty if verified
  std::string note;                                  ///< what a reader must know about it: work that copies share
  std::string trick;                                 ///< "composed", or "" for copies as the compiler left them
  std::string sass_hash;                             ///< over every repeat count's window
  std::vector<std::pair<std::string, int>> opcodes;  ///< of the window at the smallest repeat count
  std::vector<std::string> sass;                     ///< Latency: one copy from the middle of its window, line by line
  std::optional<double> encoded_cycles;              ///< dependency distance per repeat, if it is encoded
  std::vector<std::pair<std::string, double>> via;  ///< companions on the chain, each with the cycles subtracted for it
  int trips = 1;                                    ///< of the loop in its window; a sample has trips x its copies
  std::map<int, Samples> samples;                   ///< by number of warps

  [[nodiscard]] bool verified() const { return verdict == verified_code; }
  bool operator==(const InstructionRun&) const = default;
};

/// A point of the throughput grid.
struct ThroughputPoint {
  int warps = 0, ilp = 0;
  double rate = 0;  ///< thread results (lanes) per clock and SM; its spread is in the samples

  bool operator==(const ThroughputPoint&) const = default;
};

/// One row of the instruction table: everything known about one PTX instruction on one GPU.
struct InstructionRecord {
  std::string id;       ///< "fp32/fma.rn.f32"
  std::string family;   ///< "fp32"
  std::string ptx;      ///< "fma.rn.f32 {d}, {a}, {b}, {c}"
  std::string section;  ///< section of the PTX ISA
  std::string types;    ///< "f32", "f16 f32": the type modifiers, for the filter
  std::string arch;     ///< "sm_90a"
  Outcome outcome = Outcome::Measured;
  Reason reason;
  std::vector<std::string> became;  ///< SASS opcodes of one instance, in order, with modifiers
  /// If it became one machine instruction: the key of that one's form, whose row in machine.json has these numbers, and
  /// of those that ptxas uses as well for several copies.
  std::vector<std::string> forms;
  std::vector<std::string> labels;  ///< "emulated: 12 instructions", "calls a subroutine", "rewritten: SHF.L.U32"
  std::vector<std::string> pipes;   ///< pipes on which it executes, from counters: "fma", "alu"
  std::vector<InstructionRun> runs;
  /// latency.<operand> (cycles), throughput (1/clk/SM, at the plateau), interval (cycles per warp instruction and
  /// scheduler), saturation (warps x ilp of the smallest point at 95 % of the plateau), encoded.<operand>, or
  /// encoded for all operands of a form; of copies for which ptxas alternates between forms, mixture.throughput and
  /// mixture.interval.
  std::vector<Estimate> estimates;
  std::vector<ThroughputPoint> curve;
  std::map<std::string, double> counters;  ///< CUPTI metric -> value
  std::string counters_missing;
  std::vector<std::string> findings;  ///< one sentence each: measured and encoded differ, counts differ, ...
  ClockReading clock;

  /// The verified run of its throughput, from which `issue` is too; null without one.
  [[nodiscard]] const InstructionRun* throughput_run() const {
    const auto run = std::ranges::find_if(
        runs, [](const InstructionRun& one) { return one.verified() && one.measure.starts_with("throughput"); });
    return run == runs.end() ? nullptr : &*run;
  }
  bool operator==(const InstructionRecord&) const = default;
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

/// instructions.json: the results of the catalogue on one GPU.
struct InstructionTable {
  Provenance provenance;
  DeviceFacts device;
  std::vector<InstructionRecord> rows;
  GuideComparison guide;

  bool operator==(const InstructionTable&) const = default;
};

}  // namespace warpclock
