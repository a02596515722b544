#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
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

}  // namespace warpclock
