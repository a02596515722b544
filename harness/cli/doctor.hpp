#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "base/text.hpp"
#include "cli/options/options.hpp"
#include "gpu/device/device.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// Whether code for one architecture can be compiled and disassembled here; each field is empty if it can.
struct ArchFinding {
  Arch arch;
  std::optional<Error> compile, disassemble, assemble;
};

/// What `warpclock doctor` learned about the GPU through the worker process.
struct GpuFinding {
  DeviceFacts device;
  std::string counters_missing;  ///< why there are no counters; empty if there are
  int count = 1;                 ///< GPUs that the driver reports
  Expected<NvmlReading> now = NvmlReading{};
};

/// What was found on this machine. Errors are findings too.
struct Findings {
  Expected<int> driver = 0;  ///< newest CUDA version that it supports, 13000 for 13.0
  Expected<GpuFinding> gpu = GpuFinding{};
  bool cupti = false;                      ///< whether this build has it
  std::string cupti_missing;               ///< why it cannot be loaded; empty if it can
  std::size_t chips = 0;                   ///< number of chips that CUPTI knows
  std::string nvrtc;                       ///< "13.0", "none"
  Expected<std::string> nvdisasm;          ///< its path
  Expected<std::string> nvdisasm_version;  ///< "13.0.39"
  Expected<std::string> ptxas;             ///< its path
  Expected<std::string> ptxas_version;     ///< "13.0.88"
  std::vector<ArchFinding> archs;
  std::string cache;  ///< its folder
  std::string cache_warning;
  Expected<std::size_t> probes = std::size_t{0};  ///< number of probes read from the configs
};

enum class State { Ok, Warn, Missing };

template <>
inline constexpr auto enum_words<State> = std::array<std::string_view, 3>{"ok", "warn", "missing"};

/// What does not work if a check is `Missing`. Measuring includes verifying.
enum class Keeps { Measuring, Verifying };

struct Check {
  std::string name;
  State state = State::Ok;
  std::string found;
  std::string fix;  ///< how to fix it; empty if all is well
  Keeps keeps = Keeps::Measuring;
};

struct Diagnosis {
  std::vector<Check> checks;

  /// Whether `warpclock run` can measure, and whether `warpclock verify` can verify. Reading reports always works.
  [[nodiscard]] bool measures() const;
  [[nodiscard]] bool verifies() const;
};

struct DoctorOptions {
  std::string probes_dir, configs_dir;  ///< empty: those that the program carries
  SheetFormat format;
};

[[nodiscard]] Diagnosis diagnose(const Findings& findings);

/// A line for each check, with its remedy below it; then what works here. JSON: {"works": {"run", "verify", "replay"},
/// "checks": [{"state": "ok|warn|missing", "name", "found", "fix"}], "notes": [...]}
[[nodiscard]] Sheet doctor_sheet(const Diagnosis& diagnosis);

}  // namespace warpclock
