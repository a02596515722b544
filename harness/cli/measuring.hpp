#pragma once

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Reports on standard error what else runs on the GPU, before anything is measured. True if there is anything.
bool warn_of_others(const Worker& worker);

/// The error of --exclusive.
[[nodiscard]] std::unexpected<Error> refuse_to_share(const char* what);

/// The provenance of this run without its durations, which are added at its end. `driver` and `counters_missing` come
/// from the worker.
[[nodiscard]] Provenance gather_provenance(const std::string& nvdisasm, const std::string& driver,
                                           const std::string& counters_missing);

/// The arguments of this process; the program is given by its name without folder.
[[nodiscard]] std::vector<std::string> command_line();

}  // namespace warpclock
