#pragma once

#include <functional>
#include <istream>
#include <string>

#include "base/error.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The worker's loop: one job per line in, one event per line out. The next job is read while one runs. It ends when
/// the input ends, or after a job fails with "fault", which is the last thing that it reports; then it calls
/// `stop_reading`, which must end the input. True if the input ended by itself.
[[nodiscard]] bool serve(std::istream& in, const std::function<void(const std::string&)>& write_line,
                         const std::function<Expected<Observation>(const Job&)>& run,
                         const std::function<void()>& stop_reading);

}  // namespace warpclock
