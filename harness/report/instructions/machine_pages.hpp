#pragma once

#include <string>

#include "record/machine_record.hpp"

namespace warpclock {

/// machine.md. Pure: the same table gives the same bytes.
[[nodiscard]] std::string render_machine_markdown(const MachineTable& table);

}  // namespace warpclock
