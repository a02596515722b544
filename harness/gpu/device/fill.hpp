#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Random fills repeat after this many bytes, so that a large buffer costs a device-side copy and not an upload.
constexpr std::int64_t random_period_bytes = 4 << 20;

/// The words that a buffer starts with; the rest of the buffer repeats them. One period for the random fills, the whole
/// buffer for Lanes and the chains, a single 0 for Zeros. `base` is the buffer's device address, which Pointers refer
/// to: slot i, at base + i * stride, holds the address of slot i + 1, and the last slot that of the first; Chase and
/// Indices take the slots in random order, and Indices hold distances from the buffer's start in units of 4 bytes.
/// The same arguments give the same words in every run. They stand in `memory`, whatever that held, if it is large
/// enough: what a process gets anew from its system costs more than writing it.
/// Errors: "data" when bytes is not positive, or a chain has a stride above `bytes` or that is no multiple of what a
/// slot holds (8 bytes, an index 4), or 32-bit indices do not reach through the buffer.
[[nodiscard]] Expected<std::vector<std::uint32_t>> fill_pattern(const Data& data, std::uint64_t base,
                                                                std::vector<std::uint32_t> memory = {});

}  // namespace warpclock
