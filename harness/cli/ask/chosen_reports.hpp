#pragma once

#include "answer/overview/reported_gpu.hpp"
#include "base/error.hpp"
#include "cli/answers/gpu_choice.hpp"

namespace CLI {
class App;
}

namespace warpclock {

/// --gpu GPU,... and --reports DIR.
void add_reports_options(CLI::App& command, GpuChoice& choice);

/// All records of the chosen GPUs, "h100,h200", or of all measured ones. Errors "io" and "gpu".
[[nodiscard]] Expected<Reports> chosen_reports(const GpuChoice& choice);

}  // namespace warpclock
