#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "record/selector.hpp"

namespace warpclock {

struct LeafRule {
  std::string name;
  std::vector<Selector> places;  ///< the first that the records have counts
};

/// An entry, or, if its name contains {parameters}, one for each combination of their values.
struct EntryRule {
  std::string name, says;
  std::vector<LeafRule> leaves;
  std::string place;  ///< "configs/model.yaml:14:9"
};

/// The form of machine instruction whose issue intervals are those of its pipe.
struct PipeRule {
  std::string pipe, form;
};

/// An option of Accel-Sim; paths as in find_leaf().
struct AccelOption {
  std::string option, of;
  std::string less;        ///< subtracted; or empty
  std::string initiation;  ///< the second number; or empty
};

/// A ceiling of a roofline.
struct CeilingRule {
  std::string name, of;
  double flop = 0;  ///< of one unit of the leaf; 0 for a level of memory
};

/// A peak: the highest of those with its name and kind.
struct PeakRule {
  std::string name, kind, of;  ///< "f16", "sparse"; "DRAM", "load"
  double flop = 0;             ///< of one unit of the leaf; 0 for a level of memory
  std::string clock;           ///< the leaf with the SM clock while it runs; empty: that of its row
};

/// Operations of one pipeline of warp specialization.
struct PipelineRule {
  std::string pipeline;            ///< "TC"; as HWPipeline of Triton's LatencyModel.h calls it
  std::string section;             ///< of the Machine
  std::string entries;             ///< the name of its entry, or how their names begin, then "*"
  std::string latency, occupancy;  ///< leaves; occupancy may be empty
};

/// configs/model.yaml.
struct ModelConfig {
  std::vector<PipeRule> pipes;
  std::vector<std::pair<std::string, std::vector<EntryRule>>> sections;  ///< by name, without pipes
  std::vector<AccelOption> accel_sim;
  std::vector<CeilingRule> roofline;
  std::vector<PeakRule> peaks;
  std::vector<PipelineRule> triton;
};

void describe(YamlArchive& a, ModelConfig& v);

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<ModelConfig> parse_model_config(const std::string& file, std::string_view text);

/// The configuration that the program carries.
[[nodiscard]] const Expected<ModelConfig>& known_model_config();

/// A number of the model: the estimate of a verified row, or what follows from several rows of one record.
struct Leaf {
  std::string name;  ///< unique in its entry: "latency.a", "rate.all_sms"
  double value = 0, low = 0, high = 0;
  std::string unit;
  std::string record;             ///< the file of a RecordSource
  std::vector<std::string> rows;  ///< ids in that record, at least one
  std::string note;               ///< how it follows from the rows; empty if it is an estimate of one row
  double sm_mhz = 0;              ///< the SM clock around its rows (their median); 0 if unknown

  bool operator==(const Leaf&) const = default;
};

/// What is known of one pipe, instruction, path or mechanism.
struct Entry {
  std::string name;                 ///< unique in its section
  std::string says;                 ///< what it is, if the name does not say it
  std::string pipe;                 ///< instructions: the pipe on which counters saw its opcode; empty if none did
  std::string pipe_row;             ///< the row of instructions.json with these counters
  std::string signal;               ///< instructions: how a reader waits for the result: "fixed", "scoreboard"
  std::vector<Leaf> leaves;         ///< in the order of model.yaml
  std::vector<std::string> absent;  ///< leaves that model.yaml wants and no verified row has

  bool operator==(const Entry&) const = default;
};

/// A record that leaves are from.
struct RecordSource {
  std::string file;  ///< below the GPU's folder: "kernels/result.json"
  std::string gpu, date, commit, driver;
  bool dirty = false;

  bool operator==(const RecordSource&) const = default;
};

/// What the driver states and nothing measures; 0 if unknown.
struct StatedFacts {
  int sms = 0;
  double sm_clock_max_mhz = 0, memory_clock_max_mhz = 0;
  int memory_bus_bits = 0;
  std::int64_t memory_bytes = 0, l2_bytes = 0, shared_per_sm_bytes = 0, shared_per_block_bytes = 0;

  bool operator==(const StatedFacts&) const = default;
};

/// The model of one GPU. A number that was not measured is absent, and never has a default.
struct Machine {
  std::string gpu, folder, arch;  ///< "NVIDIA H200", "nvidia-h200", "sm_90a"
  StatedFacts stated;
  std::vector<RecordSource> records;
  std::vector<Entry> pipes, instructions, dependences, co_issue, transfers, synchronization, capacities, clocks, energy;

  bool operator==(const Machine&) const = default;
};

inline constexpr std::array<std::pair<std::string_view, std::vector<Entry> Machine::*>, 9> machine_sections = {
    {{"pipes", &Machine::pipes},
     {"instructions", &Machine::instructions},
     {"dependences", &Machine::dependences},
     {"co_issue", &Machine::co_issue},
     {"transfers", &Machine::transfers},
     {"synchronization", &Machine::synchronization},
     {"capacities", &Machine::capacities},
     {"clocks", &Machine::clocks},
     {"energy", &Machine::energy}}};

/// nullptr if there is none.
[[nodiscard]] const Entry* find_entry(const Machine& machine, std::string_view section, std::string_view entry);
[[nodiscard]] const Leaf* find_leaf(const Entry& entry, std::string_view leaf);
/// By a path "transfers/l2.load/latency".
[[nodiscard]] const Leaf* find_leaf(const Machine& machine, std::string_view path);

[[nodiscard]] const RecordSource& source_of(const Machine& machine, const Leaf& leaf);

/// "23", "34.936": six significant digits.
[[nodiscard]] std::string leaf_number(double value);

}  // namespace warpclock
