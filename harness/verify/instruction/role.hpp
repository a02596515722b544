#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

// What an instruction may be in a window for besides the work of its copies, by its kind_of().

/// Links and preparations that need not be there as often as the copies.
constexpr std::int64_t most_loose = 2;

/// It may link copies, or carry a result to the closing clock.
[[nodiscard]] bool is_glue(const std::string& kind);

/// Nobody need wait for it once it has issued, where its latency is fixed: glue, or what fills uniform registers.
[[nodiscard]] bool is_brought(const std::string& kind);

/// What weaving puts between two copies, with HADD2.F32 where a half is on the way.
[[nodiscard]] bool is_thread(const std::string& kind);

/// It counts the trips of a loop, or goes back to its begin.
[[nodiscard]] bool is_loop_control(const std::string& kind);

/// It brings a constant or a value into place, or frames a branch.
[[nodiscard]] bool is_filler(const std::string& kind);

/// It brings an operand into the form that the instruction proper reads. For an operand that is the same for all copies
/// this is done once.
[[nodiscard]] bool is_preparation(const std::string& kind);

}  // namespace warpclock
