#pragma once

#include <functional>
#include <string>

#include "base/error.hpp"
#include "gpu/device/driver.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// See loaded_code().
using LoadedCode = std::function<Expected<std::string>(const std::function<Expected<void>()>&)>;

/// Loads the job's PTX, so that the driver assembles it, and writes the cubin that `loaded_code` returns to the job's
/// `cubin_path`. Then times several loads of each. The PTX is assembled each time only if the environment of the
/// process disables the driver's cache. Errors: "io"; "compile-error" with the reason of the driver's compiler; "cuda",
/// "memory", "fault"; those of `loaded_code`.
[[nodiscard]] Expected<Observation> assemble_by_driver(const Driver& driver, const Job& job,
                                                       const LoadedCode& loaded_code);

}  // namespace warpclock
