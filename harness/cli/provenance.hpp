#pragma once

#include "record/record.hpp"

namespace warpclock {

/// What this run is made of, but for its durations, which the run adds when it is over. `driver` and `counters` are the
/// worker's word.
[[nodiscard]] Provenance gather_provenance(const std::string& nvdisasm, const std::string& driver,
                                           const std::string& counters);

/// The arguments of this process, the program by its name alone.
[[nodiscard]] std::vector<std::string> command_line();

}  // namespace warpclock
