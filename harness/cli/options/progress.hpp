#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace warpclock {

/// "12/260 instructions" on standard error, on a line that is cleared at the end; nothing if that is no terminal.
[[nodiscard]] std::function<void(std::size_t done, std::size_t total)> progress_on_terminal(const std::string& noun);

/// Clears that line, before something else is printed.
void clear_progress();

}  // namespace warpclock
