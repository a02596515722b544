#pragma once

#include <string>
#include <vector>

#include "inspect/difference/code_difference.hpp"

namespace warpclock {

/// One PTX module, assembled by ptxas (before) and by the driver (after).
struct JitTarget {
  std::string target;                   ///< of the PTX: "sm_80"
  std::string ptxas_arch, driver_arch;  ///< of the machine code: "sm_90a"
  std::vector<double> ptxas_ms;         ///< each start of ptxas, in milliseconds
  std::vector<double> jit_ms, load_ms;  ///< each load of the PTX and of the cubin that came of it, in milliseconds
  std::string refused;                  ///< why the driver did not assemble it; empty if it did
  CodeComparison code;
};

struct JitComparison {
  std::string file, gpu, driver, ptxas;  ///< driver, ptxas: versions
  std::vector<JitTarget> targets;
};

/// Whether the driver assembled all targets to the machine code of ptxas.
[[nodiscard]] bool all_same(const JitComparison& comparison);

[[nodiscard]] Sheet jit_sheet(const JitComparison& comparison);

}  // namespace warpclock
