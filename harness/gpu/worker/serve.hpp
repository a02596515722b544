#pragma once

#include <functional>
#include <istream>
#include <string>

#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The worker's loop: one job per line in, one event per line out. It ends when the input ends, or after a job fails
/// with "fault", which is the last thing that it reports. True if the input ended.
[[nodiscard]] bool serve(std::istream& in, const std::function<void(const std::string&)>& write_line,
                         const std::function<Expected<Observation>(const Job&)>& run);

}  // namespace warpclock
