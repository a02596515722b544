#pragma once

#include "record/instruction_record.hpp"

namespace warpclock {

/// States the latencies of a row so that no number contradicts the one beside it.
///
/// ptxas schedules the ends of each window by itself, so a window may be a few cycles shorter than its copies say, and
/// a line through three windows then has a slope a little off. So where all launches of each window took the same
/// cycles, the interval also covers each step from one window to the next. A fixed latency is a whole number of cycles:
/// if the encoded distance is whole and in that interval, it is the latency; if nothing is encoded, the only whole
/// number in it is. The note then says what the line had.
///
/// Where the encoded distance is a mean over copies of several opcodes and not in the interval, a finding says so.
/// A row that was stated so before stays as it is.
void state_fixed_latencies(InstructionRecord& row);

}  // namespace warpclock
