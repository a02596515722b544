#pragma once

#include "base/sheet/sheet.hpp"
#include "capture/capture.hpp"

namespace warpclock {

/// The time by kernel, longest first, and what was not kept.
[[nodiscard]] Sheet capture_sheet(const Capture& capture);

}  // namespace warpclock
