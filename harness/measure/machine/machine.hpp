#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fields/form_table.hpp"
#include "gpu/job/job.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/machine/holes.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The kind of hole in which so many forms are measured, if they are not those of warp groups.
constexpr HoleKind usual_hole(std::size_t forms) { return forms <= 4 ? HoleKind::Few : HoleKind::Usual; }

struct MachineTableOptions {
  std::shared_ptr<Holes> holes;
  std::string folder;                      ///< for the images, which are removed at the end
  std::span<const WordForm> forms;         ///< the forms to measure
  std::span<const WordForm> architecture;  ///< all known forms, among which the movers are
  TimingLine::Desk desk;
  std::vector<std::string>
      counters;  ///< to read of studies that overlap oddly; those of study_metrics() that the GPU has
  std::function<void(std::size_t done, std::size_t total)> progress;
  std::function<void(const Row& row)> failed;  ///< called for a row to which the worker gave no answer
};

/// A row for each form, in their order. If a form cannot be measured, its row holds the reason ("read-back" if the
/// disassembler reads a word of its windows as something else). A form that faults or hangs loses only its own row.
/// Errors: "device-lost"; those of make_hole().
[[nodiscard]] Expected<std::vector<Row>> measure_machine(const MachineTableOptions& how);

/// Reads counters of composed windows of independent copies, and adds to each row with an issue interval the pipes on
/// which its form executes. `rows` are those of `how.forms`, in their order. Without permission for counters no row
/// gets any. Errors: "device-lost"; "io"; those of make_hole().
[[nodiscard]] Expected<void> count_forms(Worker& worker, const MachineTableOptions& how, std::vector<Row>& rows);

}  // namespace warpclock
