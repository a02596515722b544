#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/machine.hpp"
#include "plan/parameters.hpp"

namespace warpclock {

/// A condition on a parameter of a row or of a curve: one value, or an inclusive range.
struct ParameterLimits {
  std::string name;
  std::optional<Value> equals;
  double low = 0, high = 0;  ///< used if `equals` is empty
  bool up_to_l2 = false;     ///< `high` is the size of L2 that the driver states
};

/// Where a record may have a leaf.
struct LeafPlace {
  enum class From {
    Estimate,  ///< an estimate of a case
    Half,      ///< half of it: one way of a round trip
    Feature,   ///< what was found on a curve of cases
    Line,      ///< latency over bytes: fixed part, cycles per byte, and the misfit of the line
    Reach,     ///< the least amount at which cases reach 90 % of their highest value
    Clock,     ///< the SM clock measured around a case
    Ptx        ///< an estimate of a row of instructions.json
  };
  enum class Take { Only, Highest, Lowest };

  From from = From::Estimate;
  std::string probe;  ///< Ptx: the id of the row
  std::string name;   ///< of the estimate or feature
  std::vector<ParameterLimits> with;
  std::map<std::string, std::pair<double, double>> counters;  ///< cases: inclusive limits
  std::string where;                                          ///< Feature: the level that answered: "L1", "L2", "DRAM"
  bool inside_l2 = false;                                     ///< Feature: a segment that ends within the size of L2
  Take take = Take::Only;
  Product over;  ///< Line, Reach: bytes
};

struct LeafRule {
  std::string name;
  std::vector<LeafPlace> places;  ///< the first that the records have counts
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

/// Operations of one pipeline of warp specialization.
struct PipelineRule {
  std::string pipeline;            ///< "TC"
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
  std::vector<PipelineRule> triton;
};

/// The text is foreign input: error "config" at "file:line:column".
[[nodiscard]] Expected<ModelConfig> parse_model_config(const std::string& file, std::string_view text);

/// The configuration that the program carries.
[[nodiscard]] const Expected<ModelConfig>& known_model_config();

}  // namespace warpclock
