#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/job/call.hpp"
#include "inspect/image/kernel_facts.hpp"

namespace warpclock {

struct GivenBuffer {
  std::int64_t bytes = 0;
  std::string holds = {};  ///< "iota", "random:f32" (see call_fill_names()), or the name of a file; empty: not known

  bool operator==(const GivenBuffer&) const = default;
};

/// What a user says of arguments, by their number.
struct GivenArguments {
  std::map<int, std::string> values;   ///< "4096", "-1", "0.5", "f32:1"
  std::map<int, GivenBuffer> buffers;  ///< behind arguments that are addresses
  [[nodiscard]] bool empty() const { return values.empty() && buffers.empty(); }
};

/// An argument of a launch.
struct GivenArgument {
  int number = 0;
  CallArgument argument;
  bool filled = true;         ///< of a buffer: whether it is known what it holds
  std::string contents = {};  ///< of a buffer: a file, which is repeated to its end; empty: as CallArgument says
  std::string bytes = {};     ///< the whole parameter as a launch had it; empty: as the rest says
};

/// The arguments that are given. An integer has the size of its parameter; a number with a point is a float of that
/// size; "f16:1" names one of call_type_names(). Error "option" if the kernel has no such argument, "io" for files.
[[nodiscard]] Expected<std::vector<GivenArgument>> given_arguments(const GivenArguments& given,
                                                                   const KernelFacts& facts);

}  // namespace warpclock
