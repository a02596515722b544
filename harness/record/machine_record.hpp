#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/lookup.hpp"
#include "record/machine_row.hpp"
#include "record/record.hpp"

namespace warpclock {

/// machine.json: the measurements of each form of a machine instruction on one GPU.
struct MachineTable {
  Provenance provenance;
  DeviceFacts device;
  std::vector<MachineRow> rows;
  std::vector<ProducerConsumer> dependences;
  std::vector<IssueStudy> pairs;  ///< of two forms; with themselves too
  std::vector<IssueStudy> banks;  ///< of one form, over the banks and the reuse of its source operands
  /// A multiply of a warp group, and another form that follows each multiply `of_each` times.
  std::vector<IssueStudy> with_multiplies;
  std::vector<IssueStudy> between_warps;  ///< of two forms in different warps of a sub-partition
  std::vector<IssueStudy> fetch;          ///< of one form, over the number of instructions in straight-line code

  bool operator==(const MachineTable&) const = default;
};

/// The row of a form; null if there is none.
[[nodiscard]] inline const MachineRow* row_of_form(std::span<const MachineRow> rows, std::string_view key) {
  return find_by(rows, key, &MachineRow::key);
}

}  // namespace warpclock
