#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "gate/gate.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

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

}  // namespace warpclock
