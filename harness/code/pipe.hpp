#pragma once

#include <string_view>

namespace warpclock {

/// The pipe, by CUPTI's name, on which an opcode with its modifiers was seen to execute. It determines which counters
/// to read first, and what to subtract from them for instructions other than the measured one.
[[nodiscard]] std::string_view pipe_of(std::string_view opcode);

}  // namespace warpclock
