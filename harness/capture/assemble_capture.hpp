#pragma once

#include <map>
#include <string>
#include <vector>

#include "capture/capture.hpp"
#include "capture/spool_text.hpp"

namespace warpclock {

/// The kernels of each cubin, by its hash, with the hash of their machine code.
using CodeSymbols = std::map<std::string, std::map<std::string, std::string>>;

/// Puts together what several processes saw. A kernel whose process did not know where its machine code is has the
/// cubin that has a kernel of its name; if there are several, and their machine code is not the same, it has none, and
/// says so.
void assemble(Capture& capture, const std::vector<Spooled>& processes, const CodeSymbols& symbols);

}  // namespace warpclock
