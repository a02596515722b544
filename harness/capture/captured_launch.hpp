#pragma once

#include <filesystem>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "predict/predict.hpp"

namespace warpclock {

/// What `--launch`, `--arg` and `--buffer` say, of a launch that was captured: each parameter has its bytes, and each
/// buffer that a pointer leads to its place, and from the pointer on what was kept of it. Several pointers into one
/// allocation divide it: programs that keep memory of their own put many arrays into one. Errors: "capture" if the
/// parameters were not kept or are not those of the kernel; those of read_kept().
[[nodiscard]] Expected<PredictOptions> options_of(const CapturedLaunch& launch, const KernelFacts& facts,
                                                  const std::filesystem::path& folder);

}  // namespace warpclock
