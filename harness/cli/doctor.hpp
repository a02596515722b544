#pragma once

#include <string>

#include "cli/doctor_checks.hpp"

namespace warpclock {

struct DoctorOptions {
  std::string probes_dir, configs_dir;  ///< empty: those that the program carries
  bool json = false;
};

/// Examines this machine: driver, GPU (through the worker process), counters, NVRTC, nvdisasm, cache, configs. Takes a
/// few seconds because it tries each of them.
[[nodiscard]] Findings look_at_machine(const DoctorOptions& options);

/// Prints what was found, what is missing and how to fix it. Returns 0 if this machine can measure, else 1.
[[nodiscard]] int doctor(const DoctorOptions& options);

}  // namespace warpclock
