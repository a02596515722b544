#pragma once

#include <vector>

#include "record/machine_row.hpp"
#include "record/record.hpp"

namespace warpclock {

/// machine.json: what was measured of each form of a machine instruction of a GPU.
struct MachineTable {
  Provenance provenance;
  DeviceFacts device;
  std::vector<MachineRow> rows;

  bool operator==(const MachineTable&) const = default;
};

}  // namespace warpclock
