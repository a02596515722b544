#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
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

/// A kernel of a build, without its instructions.
struct BuildKernel {
  std::filesystem::path file;
  std::size_t image = 0;  ///< in the file
  std::string symbol;
  KernelFacts facts;
  std::string code;  ///< of code_hashes()
};

/// A build of some kernels: a file that `load_file()` reads; a folder, where the key `source` of a stanza names the
/// file, and else all cubins and fat binaries in it and below are meant, as in a cache of Triton; or a capture.
class GateBuild {
 public:
  /// `how` as in load_file(); of its folders of headers, those are taken that are in the folder of the build. Errors
  /// "io" and "record" if there is no such file or capture.
  [[nodiscard]] static Expected<GateBuild> open(const std::filesystem::path& path, LoadOptions how);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::optional<Capture>& capture() const { return capture_; }
  [[nodiscard]] const LoadOptions& how() const { return how_; }

  /// The file that has the kernel of a case: for the key `source` of a copy of the case, beside any folder. Errors
  /// "kernel" if there is none, or several that take this launch and differ; "file" if the folder has no cubin.
  [[nodiscard]] Expected<std::string> file_of(const KernelCase& one);

  /// The kernel with this symbol; else the only one with the same name up to template arguments and parameters. Errors
  /// as file_of().
  [[nodiscard]] Expected<BuildKernel> kernel_with(const std::string& symbol);

  /// The kernels of all machine code that is not compiled from CUDA C++; errors as file_of().
  [[nodiscard]] Expected<const std::vector<BuildKernel>*> kernels();

  /// Files of the folder that could not be read, with the reason.
  [[nodiscard]] const std::vector<std::string>& unread() const { return unread_; }

 private:
  [[nodiscard]] Expected<std::vector<std::filesystem::path>> files() const;

  std::filesystem::path path_;
  LoadOptions how_;
  bool folder_ = false;
  std::optional<Capture> capture_;
  std::optional<Expected<std::vector<BuildKernel>>> kernels_;  ///< when they were asked for
  std::vector<std::string> unread_;
};

/// A hash of what each kernel of a cubin does, whatever other kernels do: its instructions, those of the functions that
/// are beside it, and what is in constant and global memory when it begins. Error "elf".
[[nodiscard]] Expected<std::map<std::string, std::string>> code_hashes(std::string_view image);

/// Whether two kernels need the same of an SM.
[[nodiscard]] bool same_facts(const KernelFacts& one, const KernelFacts& other);

struct GateInput {
  std::string before, after;
  std::string launches;               ///< YAML with `kernels:`, or a capture; empty: those of the captures
  std::vector<std::string> patterns;  ///< only cases whose ids match, or kernels that are meant; empty: all
  LoadOptions how;                    ///< its architecture is that of each machine
  std::string cache;                  ///< folder for compiled code
  double most = 0, limit = 0;         ///< Gate::most; PredictOptions::limit
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< may be empty
};

/// Predicts both builds on each machine and judges each kernel. The answer depends on the files, the machines and the
/// options alone, as long as there is no limit and nothing has to be compiled. Errors: those of GateBuild::open(),
/// read_studies(), kernel_cases() and read_capture(); "gate" if nothing is launched; "filter" if a pattern matches
/// nothing.
[[nodiscard]] Expected<Gate> run_gate(const GateInput& input, const std::vector<Machine>& machines);

/// The two builds on one machine.
struct GatedBuilds {
  const GateInput& input;
  const Machine& machine;
  GateBuild& before;
  GateBuild& after;
};

/// A row for each case of a YAML file. Adds the symbols of the kernels that it has found to `covered`.
[[nodiscard]] Expected<std::vector<GateRow>> gate_cases(const GatedBuilds& builds, std::set<std::string>& covered);

/// A row for each kernel of a capture, or of both builds if both are captures and `launches` is null.
[[nodiscard]] Expected<std::vector<GateRow>> gate_captures(const GatedBuilds& builds, const GateBuild* launches,
                                                           std::set<std::string>& covered);

/// What no launch covers: kernels that differ, or that only one build has. Empty if all are covered, or if the builds
/// are CUDA C++.
[[nodiscard]] std::vector<std::string> not_covered(GateBuild& before, GateBuild& after,
                                                   const std::set<std::string>& covered);

/// A line for each kernel: the verdict, cycles before and after, the change, and what changed.
[[nodiscard]] Sheet gate_sheet(const Gate& gate);

/// The same as a table of GitHub-flavoured Markdown, for the summary of a job or a comment.
[[nodiscard]] std::string gate_markdown(const Gate& gate);

/// SARIF 2.1.0: a result for each kernel that is slower (an error), unclear or without a number (warnings).
[[nodiscard]] std::string gate_sarif(const Gate& gate);

/// JUnit as CI servers read it: a suite for each GPU, a test case for each kernel; slower is a failure, unclear or
/// without a number an error, or a skipped test if these pass.
[[nodiscard]] std::string gate_junit(const Gate& gate, bool unknown_passes);

}  // namespace warpclock
