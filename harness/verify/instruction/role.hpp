#pragma once

#include <cstdint>
#include <string>

namespace warpclock {

// The roles that an instruction may have in a window apart from the work of its copies, by its kind_of().

/// Links and preparations may differ by this many from a multiple of the copies.
constexpr std::int64_t most_loose = 2;

/// Whether it may link copies or carry a result to the closing clock read.
[[nodiscard]] bool is_link_kind(const std::string& kind);

/// Whether nothing needs to wait for it once it has issued, if its latency is fixed: it may link, or it writes uniform
/// registers.
[[nodiscard]] bool needs_no_wait(const std::string& kind);

/// Whether it counts the trips of a loop, branches back to its beginning, or keeps its warps in step.
[[nodiscard]] bool is_loop_control(const std::string& kind);

/// Whether it moves a constant or a value into place, or belongs to a branch.
[[nodiscard]] bool is_filler(const std::string& kind);

/// Whether it brings an operand into the form that the instruction itself reads. For an operand that all copies share
/// this is done once.
[[nodiscard]] bool is_preparation(const std::string& kind);

}  // namespace warpclock
