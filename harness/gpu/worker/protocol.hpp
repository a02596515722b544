#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

/// The first line of a worker: it is ready.
struct HelloEvent {
  DeviceFacts device;
  std::string counters_missing;     ///< why there are no counters; empty if there are
  std::vector<std::string> others;  ///< other processes on the device, in words
  double wait_us = 0;               ///< how long a kernel waited for the GPU, see foreign_wait_us
  double pause_us = 0;              ///< how long one stood still, see foreign_pause_us
};

struct ResultEvent {
  std::string id;
  Observation observation;
};

/// The job failed; the worker continues.
struct ErrorEvent {
  std::string id;
  Error error;
};

/// The worker cannot continue and ends after this line.
struct FatalEvent {
  Error error;
};

using Event = std::variant<HelloEvent, ResultEvent, ErrorEvent, FatalEvent>;

/// One JSON object without a line break. Numbers that JSON lacks are the strings "nan", "inf" and "-inf"; bytes that
/// are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_line(const Job& job);
[[nodiscard]] std::string to_line(const Event& event);

/// Error "protocol" for anything that to_line() does not write: unknown, missing or duplicate keys, other types,
/// numbers out of range, more than one object.
[[nodiscard]] Expected<Job> parse_job(std::string_view line);
[[nodiscard]] Expected<Event> parse_event(std::string_view line);

}  // namespace warpclock
