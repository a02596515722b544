#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "execute/given_arguments.hpp"
#include "gpu/job/call.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "predict/memory/access_pattern.hpp"
#include "predict/memory/memory_level.hpp"

namespace warpclock {

/// Notes what an argument is: a buffer, or a number.
void note_argument(const CallArgument& argument, ArgumentPlace place, LaunchShape& shape);

/// The level that answers accesses to buffers of so many bytes in all: L2 if a launch before has warmed it and it has
/// room for them.
[[nodiscard]] MemoryLevel level_of_buffers(std::int64_t bytes, std::int64_t l2_bytes, bool cold);

/// Notes what a user says of them in the launch of a kernel. Errors of given_arguments().
[[nodiscard]] Expected<void> note_given(const GivenArguments& given, const KernelFacts& facts, LaunchShape& shape);

}  // namespace warpclock
