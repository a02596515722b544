#include "cli/instructions/form_bench.hpp"

#include <utility>

#include "fields/form_table.hpp"
#include "plan/arch.hpp"

namespace warpclock {

FormBench::FormBench(MachineOptions how, std::size_t lines) : how_(std::move(how)) {
  // Without a hole that is being made, it is made when it is wanted.
  if (auto holes = expected_holes(how_, lines)) holes_ = *std::move(holes);
}

Expected<std::vector<MachineRow>> FormBench::rows_of(Worker& worker, const std::vector<WordForm>& forms) {
  if (!all_) return WARPCLOCK_TRY(measured_machine(worker, forms, how_, holes_)).rows;
  if (!table_) {
    const auto arch = WARPCLOCK_TRY(parse_arch(worker.device().arch));
    const auto all = forms_of(arch).all();
    table_ = WARPCLOCK_TRY(measured_machine(worker, {all.begin(), all.end()}, how_));
    if (!how_.measuring.quiet) summarize_machine(*table_);
  }
  std::vector<MachineRow> rows;
  for (const WordForm& form : forms) rows.push_back(*row_of_form(table_->rows, key_of(form)));
  return rows;
}

}  // namespace warpclock
