#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/nvml.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// Whether code for one architecture can be made and read here; empty where it can.
struct ArchFinding {
  Arch arch;
  std::optional<Error> compile, disassemble, assemble;
};

/// What `warpclock doctor` saw of the GPU, through the worker process.
struct GpuFinding {
  DeviceFacts device;
  std::string counters;  ///< "available", or why there are none
  int count = 1;         ///< GPUs that the driver shows
  Expected<NvmlReading> now = NvmlReading{};
};

/// What was found on this machine. Errors are findings too.
struct Findings {
  Expected<int> driver = 0;  ///< newest CUDA version that it supports, as 13000
  Expected<GpuFinding> gpu = GpuFinding{};
  bool cupti = false;
  std::size_t chips = 0;                   ///< that CUPTI knows
  std::string nvrtc;                       ///< "13.0"
  Expected<std::string> nvdisasm;          ///< its path
  Expected<std::string> nvdisasm_version;  ///< "13.0.39"
  Expected<std::string> ptxas;             ///< its path
  Expected<std::string> ptxas_version;     ///< "13.0.88"
  std::vector<ArchFinding> archs;
  Expected<std::string> cache;  ///< its folder
  std::string cache_warning;
  Expected<std::size_t> probes = std::size_t{0};  ///< how many were read from the configs
};

enum class State { Ok, Warn, Missing };

/// What a check that is `Missing` keeps from working. Verifying is a part of measuring.
enum class Keeps { Measuring, Verifying };

struct Check {
  std::string name;
  State state = State::Ok;
  std::string found;
  std::string mend;  ///< what to do about it; empty when all is well
  Keeps keeps = Keeps::Measuring;
};

struct Diagnosis {
  std::vector<Check> checks;

  /// Whether `warpclock run` can measure, and `warpclock verify` can verify. Reading reports always works.
  [[nodiscard]] bool measures() const;
  [[nodiscard]] bool verifies() const;
};

[[nodiscard]] Diagnosis diagnose(const Findings& findings);

/// A line a check, aligned, its remedy below it; then what works here.
[[nodiscard]] std::string to_text(const Diagnosis& diagnosis, const Style& style);

/// {"checks": [{"name", "state": "ok|warn|missing", "found", "mend"}], "works": {"run", "verify", "replay"}}
[[nodiscard]] std::string to_json(const Diagnosis& diagnosis);

}  // namespace warpclock
