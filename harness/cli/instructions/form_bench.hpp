#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/instructions/machine_command.hpp"
#include "fields/form.hpp"
#include "gpu/worker/worker.hpp"
#include "record/machine_record.hpp"

namespace warpclock {

/// Measures the forms that PTX instructions become.
class FormBench {
 public:
  /// For so many lines of a person: begins to make the hole.
  FormBench(MachineOptions how, std::size_t lines);
  /// For a catalogue. `all`: of the whole one, all forms of the architecture are measured once, for the table of
  /// machine instructions.
  FormBench(MachineOptions how, bool all) : how_(std::move(how)), all_(all) {}

  /// A row for each of the forms, in their order. Errors: those of measured_machine().
  [[nodiscard]] Expected<std::vector<MachineRow>> rows_of(Worker& worker, const std::vector<WordForm>& forms);

  /// The table of all forms, if it was measured.
  [[nodiscard]] const std::optional<MachineTable>& whole() const { return table_; }

 private:
  MachineOptions how_;
  bool all_ = false;
  std::shared_ptr<Holes> holes_;
  std::optional<MachineTable> table_;
};

}  // namespace warpclock
