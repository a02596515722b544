#pragma once

#include <string>

#include "ptx/experiment/frame.hpp"

namespace warpclock {

// The parts of a hole for warp groups.

/// The name of an accumulator's register in PTX.
[[nodiscard]] std::string accumulator(int i);

/// The descriptors w_a and w_b of a matrix A of 64 rows and of a matrix B of up to 256, both with K along rows of 128
/// bytes and swizzled over 128 bytes (PTX ISA, "Matrix descriptor": the address, the leading and the stride distance in
/// units of 16 bytes, the swizzle in bits 62 and 63).
void put_descriptors(Frame& frame);

/// A multiply into all accumulators. One before the hole and one after it make ptxas keep them in a row of registers.
void put_multiply(Frame& frame);

/// The one after the hole. `descriptors` is the address that they are loaded from.
void put_second_multiply(Frame& frame, const std::string& descriptors);

}  // namespace warpclock
