#pragma once

#include <vector>

#include "record/machine_row.hpp"
#include "record/record.hpp"

namespace warpclock {

/// machine.json: the measurements of each form of a machine instruction on one GPU.
struct MachineTable {
  Provenance provenance;
  DeviceFacts device;
  std::vector<MachineRow> rows;

  bool operator==(const MachineTable&) const = default;
};

}  // namespace warpclock
