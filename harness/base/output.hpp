#pragma once

#include "base/error.hpp"

namespace warpclock {

/// Called before anything is opened or printed. Standard streams that are closed are opened, so that no file takes
/// their place. From then on, what cannot be printed is dropped, without an exception, and close_output() says so.
void open_output();

/// For commands that measure: no reader that stops reading ends them. Without it SIGPIPE does, as with every program.
void outlive_readers();

/// Prints what is left. Error "output" if something that was printed on standard output was lost.
[[nodiscard]] Expected<void> close_output();

}  // namespace warpclock
