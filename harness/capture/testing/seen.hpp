#pragma once

#include <string>

namespace warpclock::testing {

/// What a process writes that launches `add` with two parameters, and more than is kept.
inline const std::string seen_text =
    "process 12 7 130000 13000\n"
    "code " +
    std::string(32, 'a') +
    "\n"
    "device 0 00 9 0 132 1980000 4831\n"
    "launch 0 3 0 132 2 1 64 1 1 2 1 1 4096 1 0:0020000000000000 8:41000000\n"
    "pointer 0 0 0 4096 16384\n"
    "ago 0 0:0:0\n"
    "ago 0 0:0:7 3:0:1\n"
    "ago 0 0:0:7:4096:2\n"
    "ago 0 0:0:9:4096:2\n"
    "data 0 8192 64 " +
    std::string(32, 'b') +
    "\n"
    "function 3 - 32 0 0 1024 616464\n"
    "time 0 1905 2000 2400\n"
    "launch 1 3 0 1 1 1 64 1 1 0 0 0 0 0 more\n"
    "launch 2 3 0 1 1 1 64 1 1 0 0 0 0 0 none\n"
    "time 0 1905 1900\n"
    "order 0 1 0 2 1 0\n"
    "order 2\n"
    "other 0 4 1 1 32 1 1 0 700 646576696365\n"
    "other 0 4 1 1 32 1 1 0 900 646576696365\n"
    "lost 4\n"
    "end\n";

}  // namespace warpclock::testing
