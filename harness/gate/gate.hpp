#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "predict/prediction.hpp"

namespace warpclock {

/// What a gate says of a kernel.
enum class GateVerdict : std::uint8_t {
  Same,     ///< the machine code is the same, and so is its time
  Within,   ///< no slower than the limit allows
  Faster,   ///< faster by more than the limit
  Slower,   ///< slower by more than the limit, whatever is not known
  Unclear,  ///< slower by more than the limit at one end of the range, and not at the other
  NoNumber  ///< one of the builds, or both, have no number
};

/// "same", "ok", "faster", "slower", "unclear", "no number".
[[nodiscard]] const char* to_string(GateVerdict verdict);

/// A kernel of one build, as it is launched.
struct GateSide {
  std::optional<double> low, high;  ///< cycles; of several launches, the sum over their runs
  std::string cause;                ///< why there is no number
  int registers = 0, spills = 0;    ///< spills: instructions
  std::int64_t runs = 1;            ///< of all launches
  std::string limiter;              ///< of several launches, that of the longest; so are the blocks per SM
  int blocks_per_sm = 0;
  double longest = 0;                      ///< cycles of all runs of that launch
  std::map<std::string, double> executed;  ///< warp instructions by their name
};

/// A kernel and a way to launch it, in both builds.
struct GateRow {
  std::string name, gpu;
  GateSide before, after;
  bool same_code = false;
  std::string file;  ///< where a reader may look: the kernel's source or the file with its launch
  int line = 0;      ///< in it; 0: not known
  GateVerdict verdict = GateVerdict::NoNumber;
  double change_low = 0, change_high = 0;  ///< of the cycles, as a share; 0.03: 3 % more
  std::vector<std::string> changed;        ///< a word each, or the cause if there is no number
};

struct Gate {
  std::string before, after, launches;
  double most = 0;  ///< the share by which a kernel may be slower
  std::vector<GateRow> rows;
  std::vector<std::string> notes;
};

/// Takes over what was predicted. Errors and predictions without a number become the cause.
void take(GateSide& side, const Expected<Prediction>& one, std::int64_t runs = 1);

/// What the cubin says.
void take(GateSide& side, const KernelFacts& facts, const std::vector<std::string>& names);

/// Sets verdict, change and what changed.
///
/// Both builds are predicted by the same model, with the same assumptions: what it gets wrong of a kernel it gets wrong
/// in both. So the ends of ranges are compared with each other, low with low and high with high: what is not known is
/// taken to be the same in both.
void judge(GateRow& row, double most);

/// The exit status: 1 if a kernel is slower; else 2 if one has no number or is unclear, unless those pass; else 0.
[[nodiscard]] int status_of(const Gate& gate, bool unknown_passes);

/// "1 slower, 2 without a number, 4 ok".
[[nodiscard]] std::string counts_text(const Gate& gate);

/// "+3.1 %", "+1.2 to +5.3 %"; empty without one.
[[nodiscard]] std::string change_text(const GateRow& row);

/// "13704 to 13707"; empty without a number.
[[nodiscard]] std::string cycles_text(const GateSide& side);

}  // namespace warpclock
