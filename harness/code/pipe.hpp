#pragma once

#include <string_view>

namespace warpclock {

/// The pipe, by CUPTI's name, on which an opcode, with its modifiers, was seen to execute: which counters to read
/// first, and what to take off them for instructions that are not the one asked about.
[[nodiscard]] std::string_view pipe_of(std::string_view opcode);

}  // namespace warpclock
