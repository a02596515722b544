#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"
#include "plan/parameters.hpp"
#include "plan/probe.hpp"

namespace warpclock {

/// Launch shape of one case; blocks_per_sm is resolved on the device.
struct Launch {
  std::int64_t blocks = 1;
  std::int64_t blocks_per_sm = 0;  ///< when not 0, blocks = this x SM count
  std::int64_t warps = 1;
  std::int64_t cluster = 1;
  std::int64_t shared_bytes = 0;
  std::int64_t carveout = -1;  ///< percent of L1 used as shared memory; -1 lets the driver decide
  /// The first bytes of the data that lie under an access policy window, which makes `hit_ratio` percent of the
  /// accesses to them persist in L2 (CUDA Programming Guide, "L2 Policy for Persisting Accesses"); 0 for none.
  std::int64_t persisting = 0;
  std::int64_t hit_ratio = 100;
  int warmups = 1;
  int launches = 31;
  LaunchBy by = LaunchBy::Stream;
};

struct Data {
  std::int64_t bytes = 1 << 20;
  Fill fill = Fill::Unit;
  std::int64_t stride = 0;
  bool cold = false;
  bool peer = false;
  Tensor tensor;
  std::string texel;
};

/// One point of a probe's sweep on one architecture: everything that the later stages need, nothing unresolved.
/// `id` is the one string used everywhere: "async_copy/latency[bytes=16,cache=cg]".
struct Case {
  std::string id;
  std::string probe;  ///< "async_copy/latency"
  std::string family;
  Arch arch;
  Parameters parameters;
  std::string along;                  ///< the parameter that the kernel gets at run time, as `args.at`; or empty
  std::string kernel;                 ///< path below probes/
  std::vector<std::int64_t> repeats;  ///< values of N, ascending
  Launch launch;
  Data data;
  Expectation expect;  ///< text resolved; `count` and `depth` still hold the factor n
  std::string label;
  std::vector<Measure> measures;
  std::vector<std::string> facts;
  std::vector<std::string> counters;
  CountersOf counters_of = CountersOf::Launch;
  std::int64_t counted_blocks = 0;  ///< if not 0, the number of blocks of the launch whose counters are read
  Places places = Places::None;
  std::vector<PremiseRule> premises;
  std::optional<Error> skip;  ///< set when this architecture lacks the instruction (code "unsupported-arch")
};

/// The suite that holds every probe.
constexpr const char* every_suite = "all";

/// Which cases a run covers: those of the suite that match any pattern, or all of the suite if there is no pattern. A
/// pattern with `*` must match the whole id; a pattern without it must occur inside the id.
struct Filter {
  std::string suite = "full";  ///< some of suite_names(), "quick,smoke", or every_suite
  std::vector<std::string> patterns;
};

[[nodiscard]] bool matches(std::string_view pattern, std::string_view id);

/// Whether one of the patterns matches; without any, everything does.
[[nodiscard]] bool is_wanted(const std::vector<std::string>& patterns, std::string_view id);

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
