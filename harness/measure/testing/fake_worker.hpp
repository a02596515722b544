#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/worker/protocol.hpp"
#include "plan/plan.hpp"

namespace warpclock::testing {

/// A line of shell that answers a job ($id) as if its kernels took so many cycles for each repeat of `one`.
inline std::string answer_with(const Case& one, double cycles_each) {
  Observation seen;
  for (const std::int64_t n : one.repeats)
    seen.samples.push_back({n, std::vector<double>(9, 40 + cycles_each * static_cast<double>(n))});
  seen.clock.sm_mhz = 1980;
  const std::string line = to_line(ResultEvent{"@", seen});
  const std::size_t at = line.find('@');
  return "printf '%s%s%s\\n' '" + line.substr(0, at) + "' \"$id\" '" + line.substr(at + 1) + "'";
}

/// A worker without a GPU: a shell script that greets so, and writes `answer`, a line of shell, to each job; $id is the
/// job's. "@gpu@" in the greeting becomes CUDA_VISIBLE_DEVICES.
inline std::vector<std::string> fake_worker(const HelloEvent& hello, const std::string& answer) {
  return {"/bin/sh", "-c",
          "echo '" + to_line(hello) +
              "' | sed \"s/@gpu@/$CUDA_VISIBLE_DEVICES/g\"; while read -r line; do id=${line#*\\\"id\\\":\\\"}; "
              "id=${id%%\\\"*}; " +
              answer + "; done"};
}

/// One that is alone on `device`.
inline std::vector<std::string> fake_worker(const DeviceFacts& device, const std::string& answer) {
  return fake_worker(HelloEvent{device, "", {}, 0}, answer);
}

}  // namespace warpclock::testing
