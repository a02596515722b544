#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpclock {

/// --arch; an empty one is refused.
CLI::Option* add_arch_option(CLI::App& command, std::string& value, const std::string& text);

/// An architecture as people name it: "sm_90a", "90a", "compute_90", or a GPU, "H100". Error "usage" if the compiler of
/// this program does not know it, with those that it knows.
[[nodiscard]] Expected<Arch> named_arch(std::string_view text);

/// Those of "sm_80,H100", each once, or of "all": the four verified architectures.
[[nodiscard]] Expected<std::vector<Arch>> named_archs(std::string_view text);

}  // namespace warpclock
