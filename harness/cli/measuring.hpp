#pragma once

#include "base/error.hpp"
#include "gpu/worker/worker.hpp"
#include "record/record.hpp"

namespace warpclock {

/// Reports on standard error what else runs on the GPU, before anything is measured. Error "shared" if there is
/// anything and the command is `exclusive`.
[[nodiscard]] Expected<void> warn_of_others(const Worker& worker, bool exclusive);

/// Reports on standard error if the timer that measures the SM clock differs from the host's clock; whether it does.
bool warn_of_timer(const Provenance& provenance);

/// The error of --exclusive.
[[nodiscard]] std::unexpected<Error> refuse_to_share(const char* what);

/// Whether an error of this code comes neither from a probe nor from the GPU, but from a full disk, a missing program
/// or another lack of this machine.
[[nodiscard]] bool is_of_the_machine(std::string_view code);

/// Error "worse" if rows of `record` failed for reasons of this machine, and the record of its kind in `folder` has
/// more that are measured; not if it is to be replaced in any case.
[[nodiscard]] Expected<void> may_take_place(const std::string& folder, const Record& record, bool replace);

/// This moment, as Provenance::date.
[[nodiscard]] std::string date_now();

/// The provenance of this run without its durations, which are added at its end. `driver` and `counters_missing` come
/// from the worker.
[[nodiscard]] Provenance gather_provenance(const std::string& nvdisasm, const std::string& driver,
                                           const std::string& counters_missing);

/// Of machine code that ptxas made, and NVRTC did not.
void note_ptxas(Provenance& provenance);

/// Notes what only the worker saw: other processes, how right its timer is, the board's power, and what NVML reported
/// of the GPU meanwhile, of which it warns.
void note_worker(Provenance& provenance, Worker& worker);

/// The arguments of this process; the program is given by its name without folder.
[[nodiscard]] std::vector<std::string> command_line();

}  // namespace warpclock
