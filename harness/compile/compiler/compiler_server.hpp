#pragma once

namespace warpclock {

/// The compiler process: one request per line of standard input, one compilation per line out, until the input ends.
/// It and all that it started end when nobody is left who reads the answers. The exit status; 2 if standard input is
/// not the channel of a process that asks.
[[nodiscard]] int serve_compilations();

}  // namespace warpclock
