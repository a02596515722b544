#pragma once

#include <string>

#include "inspect/inspection.hpp"

namespace warpclock {

/// A self-contained page without scripts: the facts of each kernel, its loops, and its listing with the control fields,
/// where loops, chains that carry a result from trip to trip, and spills are marked. Everything foreign is escaped.
[[nodiscard]] std::string render_inspection(const Inspection& inspection);

}  // namespace warpclock
