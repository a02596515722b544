#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"
#include "plan/case.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// The suite that holds every probe.
constexpr const char* every_suite = "all";

/// Which cases a run covers: those of the suite that match any pattern, or all of the suite if there is no pattern. A
/// pattern with `*` must match the whole id; a pattern without it must occur inside the id.
struct Filter {
  std::string suite = "full";  ///< some of suite_names(), "quick,smoke", or every_suite
  std::vector<std::string> patterns;
};

[[nodiscard]] bool matches(std::string_view pattern, std::string_view id);

/// "async_copy/latency[bytes=16,cache=cg]", without brackets if there is no parameter.
[[nodiscard]] std::string case_id(const Probe& probe, const Parameters& point);

/// The case of one point. Error "config" if load_suite() would have refused the probe.
[[nodiscard]] Expected<Case> case_at(const Probe& probe, const Parameters& point, const Arch& arch);

/// The cases of a suite on one architecture, in the order of the configs. A case whose instruction the architecture
/// lacks has `skip` set. Errors: "filter" (unknown suite, a pattern that matches nothing), "config" (a probe that
/// load_suite() would have refused).
[[nodiscard]] Expected<std::vector<Case>> plan(const Suite& suite, const Arch& arch, const Filter& filter = {});

/// The first, the middle and the last case of each probe on each architecture that has the instruction, in the order of
/// `cases`.
[[nodiscard]] std::vector<Case> sample(const std::vector<Case>& cases);

}  // namespace warpclock
