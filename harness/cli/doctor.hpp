#pragma once

#include <string>

#include "cli/doctor_checks.hpp"

namespace warpclock {

struct DoctorOptions {
  std::string probes_dir, configs_dir;  ///< empty: what the program carries
  bool json = false;
};

/// Looks at this machine: driver, GPU (through the worker process), counters, NVRTC, nvdisasm, cache, configs. Takes a
/// few seconds, since it tries rather than asks.
[[nodiscard]] Findings examine_machine(const DoctorOptions& options);

/// Prints what is there, what is missing and how to mend it. 0 when this machine can measure, else 1.
[[nodiscard]] int doctor(const DoctorOptions& options);

}  // namespace warpclock
