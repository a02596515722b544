#include "cli/instructions/machine_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace warpclock {

std::function<bool(const WordForm&)> answered_by(const std::vector<RecordedMachine>& machines,
                                                 const std::string& arch) {
  std::vector<const RecordedMachine*> of_arch;
  for (const RecordedMachine& machine : machines) {
    if (machine.table.device.arch != arch) continue;
    of_arch.push_back(&machine);
    std::ignore = machine.pairs();  // made before several threads read it
  }
  if (of_arch.empty()) return {};
  return [of_arch](const WordForm& form) {
    return std::ranges::any_of(
        of_arch, [&](const RecordedMachine* machine) { return find_row(*machine, key_of(form)).has_value(); });
  };
}

Expected<void> measure_forms(const std::vector<Inquiry*>& asked, const FormTable& table, RecordedMachines& machines,
                             FormBench& bench, const std::function<Expected<Worker*>()>& worker) {
  std::vector<WordForm> forms;
  std::vector<Inquiry*> with_form;
  for (Inquiry* question : asked) {
    if (const WordForm* form = table.find(asked_key(question->asked.code))) {
      forms.push_back(*form);
      with_form.push_back(question);
      continue;
    }
    const auto all = WARPCLOCK_TRY(machines.all());
    for (const RecordedMachine& machine : *all) question->machine.push_back(machine_answer(machine, question->asked));
  }
  if (forms.empty()) return {};
  Worker* const here = WARPCLOCK_TRY(worker());
  const auto rows = WARPCLOCK_TRY(bench.rows_of(*here, forms));
  for (std::size_t i = 0; i < with_form.size(); ++i) {
    MachineAnswer answer{with_form[i]->asked, rows[i], short_name(here->device()) + ", measured", ""};
    answer.differs = beyond_form(answer.asked.code);
    with_form[i]->machine.push_back(std::move(answer));
  }
  return {};
}

}  // namespace warpclock
