#pragma once

#include <cstdint>

namespace warpclock {

/// Where a tensor copy with a swizzle of 32, 64 or 128 bytes writes the byte that is at `address` without one: the
/// number of the 16 bytes within the span is xored with the number of the 128 bytes. The tile begins at a multiple of
/// 1024. Source: PTX ISA, "Tensor swizzling modes", and `tensor_copy/swizzle_layout`.
[[nodiscard]] std::int64_t swizzled(std::int64_t address, std::int64_t span);

}  // namespace warpclock
