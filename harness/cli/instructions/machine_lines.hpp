#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/answers/inquiry.hpp"
#include "cli/answers/machine_query.hpp"
#include "cli/instructions/form_bench.hpp"
#include "fields/form_table.hpp"
#include "gpu/worker/worker.hpp"

namespace warpclock {

/// Whether the table of a GPU of that architecture has a row for a form, or a near one. May be called from several
/// threads, as long as `machines` lives. Empty if there is no such GPU.
[[nodiscard]] std::function<bool(const WordForm&)> answered_by(const std::vector<RecordedMachine>& machines,
                                                               const std::string& arch);

/// Measures the forms of these machine instructions on the worker. What is no form of the table is answered by the
/// records. Errors: those of the worker and of FormBench.
[[nodiscard]] Expected<void> measure_forms(const std::vector<Inquiry*>& asked, const FormTable& table,
                                           RecordedMachines& machines, FormBench& bench,
                                           const std::function<Expected<Worker*>()>& worker);

}  // namespace warpclock
