#pragma once

#include "record/record.hpp"

namespace warpclock {

/// The provenance of this run without its durations, which are added at its end. `driver` and `counters_missing` come
/// from the worker.
[[nodiscard]] Provenance gather_provenance(const std::string& nvdisasm, const std::string& driver,
                                           const std::string& counters_missing);

/// The arguments of this process; the program is given by its name without folder.
[[nodiscard]] std::vector<std::string> command_line();

}  // namespace warpclock
