#pragma once

#include <functional>
#include <istream>
#include <string>

#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The worker's loop: one job a line in, one event a line out, until the input ends or a job's error is a "fault",
/// which is the last thing it reports. True when the input ended.
[[nodiscard]] bool serve(std::istream& in, const std::function<void(const std::string&)>& write_line,
                         const std::function<Expected<Observation>(const Job&)>& run);

}  // namespace warpclock
