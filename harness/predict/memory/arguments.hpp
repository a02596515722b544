#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/error.hpp"
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

/// What a user says of arguments, by their number.
struct GivenArguments {
  std::map<int, std::string> values;    ///< "4096", "-1", "0.5", "f32:1"
  std::map<int, std::int64_t> buffers;  ///< bytes
  [[nodiscard]] bool empty() const { return values.empty() && buffers.empty(); }
};

/// Notes them in the launch of a kernel. An integer has the size of its parameter; a number with a point is a float of
/// that size; "f16:1" names one of call_type_names(). Error "option" if the kernel has no such argument.
[[nodiscard]] Expected<void> note_given(const GivenArguments& given, const KernelFacts& facts, LaunchShape& shape);

}  // namespace warpclock
