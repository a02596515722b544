#pragma once

#include <string>
#include <vector>

#include "predict/prediction.hpp"

namespace warpclock {

/// The timelines of predictions in the trace event format, which Perfetto and chrome://tracing read: for each kernel a
/// process for each sub-partition, with a track for each of its warps (what it issues, and what it waits for before),
/// for its issue slot, for each pipe while it is busy, and for what goes to L2 and DRAM. A microsecond of the trace is
/// one cycle of the SM. Events are sorted by time, and those of a track do not overlap. Predictions without a timeline
/// are left out.
[[nodiscard]] std::string trace_text(const std::vector<Prediction>& predictions);

}  // namespace warpclock
