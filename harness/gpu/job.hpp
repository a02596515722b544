#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/case.hpp"

namespace warpclock {

/// All that a worker process needs to run one case. Travels as one JSON line.
struct Job {
  std::string id;
  std::string cubin_path;
  std::vector<std::pair<std::int64_t, std::string>> kernels;  ///< repeat count -> symbol, ascending
  Launch launch;
  Data data;
  std::vector<std::string> facts;
  std::vector<std::string> counters;  ///< CUPTI metric names; collected in launches of their own after the timed ones
  bool timed = true;                  ///< false: counters only
};

}  // namespace warpclock
