#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "build/study.hpp"
#include "gpu/instruction_job.hpp"
#include "gpu/samples.hpp"
#include "report/instruction_record.hpp"

namespace warpclock {

/// What a row is about.
struct InstructionName {
  std::string id, family, ptx;
  std::string arch;
};

/// The counters of a trial's two largest repeat counts, and how many copies apart they are.
struct CopyCounters {
  std::map<std::string, double> smaller, larger;  ///< by CUPTI name
  std::string missing;                            ///< why there are none
  double copies = 0;                              ///< further copies x warps x passes
  std::optional<double> planned;                  ///< instructions that the larger executes more, counted in the code
  std::map<std::string, double> links;            ///< pipe -> instructions a copy that only link the copies
};

/// The row of an instruction. `timings` are the job's and `observation` what it gave; null when nobody ran it, and then
/// the row is skipped with what is known of it without a GPU.
///
/// | what happened | outcome | stage | code |
/// |---|---|---|---|
/// | the architecture lacks it | skipped | plan | unsupported-arch |
/// | it did not compile | failed | compile | the error's |
/// | it becomes no instruction | skipped | verify | no-instruction |
/// | no window was verified | rejected | verify | the first trial's |
/// | the device or its worker gave up | failed | run | the error's |
/// | no series gave a number | rejected | analyze | the first problem's |
[[nodiscard]] InstructionRecord assemble_instruction(const InstructionName& name, const PtxInstruction& instruction,
                                                     const Study& study, const std::vector<Timing>& timings,
                                                     const Expected<Observation>* observation);

/// By pipe, what a trial's copies hold beyond the instruction itself.
[[nodiscard]] std::map<std::string, double> links_of(const Trial& trial, const Expansion& expansion);

/// Adds pipes and the check of executed against planned instructions to those of earlier sets of counters.
void add_counters(const CopyCounters& counters, InstructionRecord& row);

}  // namespace warpclock
