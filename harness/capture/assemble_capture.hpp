#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/capture.hpp"
#include "capture/spool_text.hpp"

namespace warpclock {

/// The kernels of each cubin, by its hash.
using CodeSymbols = std::map<std::string, std::set<std::string>>;

/// Puts together what several processes saw. A kernel whose process did not know where its machine code is has the only
/// cubin that has a kernel of its name; if there are several, it has none, and says so.
void assemble(Capture& capture, const std::vector<Spooled>& processes, const CodeSymbols& symbols);

}  // namespace warpclock
