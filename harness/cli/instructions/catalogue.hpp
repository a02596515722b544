#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/options/options.hpp"
#include "fields/form.hpp"
#include "gpu/worker/worker.hpp"
#include "measure/machine/holes.hpp"
#include "record/record.hpp"

namespace warpclock {

struct MachineOptions {
  std::vector<std::string> patterns;  ///< for keys: a part of the key, or with *
  std::string arch, out, nvdisasm, cache_dir;
  bool list = false;
  MeasuringOptions measuring = {};
  GpuChoice gpu = {};
};

/// The forms of a table whose keys one of the patterns matches; without any, all.
[[nodiscard]] std::vector<WordForm> chosen_forms(const FormTable& table, const std::vector<std::string>& patterns);

/// Begins to make the hole for so many lines while the worker starts; null without a GPU here.
[[nodiscard]] Expected<std::shared_ptr<Holes>> expected_holes(const MachineOptions& options, std::size_t lines);

/// Measures these forms on the worker; of all forms of the architecture, also the relations between them. `holes` may
/// be null, or of another architecture. Errors: those of measure_machine() and measure_relations().
[[nodiscard]] Expected<Record> measured_machine(Worker& worker, const std::vector<WordForm>& forms,
                                                const MachineOptions& options, std::shared_ptr<Holes> holes = {});

/// Prints how many rows were measured, and why others were not.
void summarize_machine(const Record& table);

/// Measures the forms that PTX instructions become.
class FormBench {
 public:
  /// For so many lines of a person: begins to make the hole.
  FormBench(MachineOptions how, std::size_t lines);
  /// For a catalogue. `all`: of the whole one, all forms of the architecture are measured once, for the table of
  /// machine instructions.
  FormBench(MachineOptions how, bool all) : how_(std::move(how)), all_(all) {}

  /// A row for each of the forms, in their order. Errors: those of measured_machine().
  [[nodiscard]] Expected<std::vector<Row>> rows_of(Worker& worker, const std::vector<WordForm>& forms);

  /// The table of all forms, if it was measured.
  [[nodiscard]] const std::optional<Record>& whole() const { return table_; }

 private:
  MachineOptions how_;
  bool all_ = false;
  std::shared_ptr<Holes> holes_;
  std::optional<Record> table_;
};

}  // namespace warpclock
