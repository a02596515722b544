#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "compile/build.hpp"
#include "gpu/job/samples.hpp"
#include "plan/plan.hpp"
#include "record/record.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// Whether other work ran on the GPU during the case. One of its premises then says "not shared: ...", and is broken.
[[nodiscard]] bool is_shared(const Row& record);
/// "12 of 880 cases were measured while other work ran on the GPU ...", or empty.
[[nodiscard]] std::string shared_in_words(const Record& record);

/// "14 of 54 cases were measured by a run that was stopped; it began 2026-11-27T20:15:00Z", or empty.
[[nodiscard]] std::string resumed_in_words(const Record& record);

/// "B0----5:R-:W2:Y:S04  @P0 LDG.E R4, desc[UR4][R2.64]": scoreboards waited for, the read and the write scoreboard
/// that it sets, yield, stall count (the notation of maxas), then predicate and instruction.
[[nodiscard]] std::string sass_line(const Instruction& instruction);

constexpr std::size_t most_sass_lines = 400;

/// The outcome of a case, from the results of all stages.
///
/// `verdicts` has one for each kernel of the build, in their order. `observation` is null if the case was not run;
/// `metrics` holds its counters by their names in configs/counters.yaml.
///
/// | what happened | outcome | stage | code |
/// |---|---|---|---|
/// | the architecture lacks it | skipped | plan | unsupported-arch |
/// | it did not compile, or could not be read back | failed | compile | the error's |
/// | a window is not what the probe claims | rejected | verify | the verdict's; unverified without machine code |
/// | it was not run | skipped | run | not-run |
/// | the device or its worker gave up | failed | run | the error's |
/// | a premise is broken | rejected | premise | premise-broken |
/// | a measure gave no number | rejected | analyze | the problem's |
/// | cycles do not grow linearly, and the measure says why they may not | unsteady | analyze | unsteady |
/// | all its numbers come from counters, and there are none | skipped | counters | counters-missing |
///
/// Only measured and unsteady cases have estimates. The interval of an unsteady one is its range.
[[nodiscard]] Row assemble(const Case& one, const Expected<Build>& build, const std::vector<Verdict>& verdicts,
                           const Expected<Observation>* observation, const std::map<std::string, double>& metrics);

/// Computes outcome, premises and estimates again from the samples, facts and counters in the record. A record made by
/// `assemble` does not change.
[[nodiscard]] Row reanalyze(Row record);

}  // namespace warpclock
