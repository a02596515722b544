#pragma once

#include "base/sheet/sheet.hpp"
#include "inspect/hazards/hazards.hpp"

namespace warpclock {

/// For people a table for each kernel: its hazards, what was checked, and the slack of each loop. For programs
/// `kernels`, `hazards`, `slack`, `places` of slack, and `not_checked`.
[[nodiscard]] Sheet hazard_sheet(const HazardReport& report);

/// "0x0250 FFMA R1, R2, R3, R1 reads R2 3 cycles after 0x0240 IADD3 R2, R4, R5, RZ; 5 are needed
/// (dependences/IADD3->FFMA.A)"
[[nodiscard]] std::string hazard_text(const Hazard& hazard);

}  // namespace warpclock
