#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Period of random fills in bytes: a large buffer then costs a copy on the device and not an upload.
constexpr std::int64_t random_period_bytes = 4 << 20;

/// The words at the start of a buffer; the rest of the buffer repeats them. One period for the random fills, the whole
/// buffer for Lanes and the chains, a single 0 for Zeros. `base` is the device address of the buffer, to which Pointers
/// refer: slot i, at base + i * stride, holds the address of slot i + 1, and the last slot that of the first. Chase and
/// Indices visit the slots in random order; Indices hold distances from the start of the buffer in units of 4 bytes.
/// The same arguments give the same words in every run. `memory` is reused for the result if it is large enough,
/// because new memory from the system costs more than the writing. Error "data" if bytes is not positive, if the stride
/// of a chain exceeds `bytes` or is not a multiple of a slot's content (8 bytes, or 4 for an index), or if 32-bit
/// indices cannot reach the whole buffer.
[[nodiscard]] Expected<std::vector<std::uint32_t>> fill_pattern(const Data& data, std::uint64_t base,
                                                                std::vector<std::uint32_t> memory = {});

}  // namespace warpclock
