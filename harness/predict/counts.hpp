#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"

namespace warpclock {

/// Executions of each instruction by all warps of a launch.
struct ExecutedCounts {
  std::map<std::int64_t, std::int64_t> by_address;  ///< from the kernel's begin
  std::vector<std::string> opcodes;                 ///< in the order of the machine code; empty if the file has none
};

/// The source page that Nsight Compute exports (`ncu --page source --csv`), with a line for each instruction in the
/// order of the machine code. The text is foreign input: error "counts" with the line.
[[nodiscard]] Expected<ExecutedCounts> parse_counts(std::string_view csv);

/// Error "counts" if the counts are of other machine code than the listing: of another number of instructions, or of
/// other ones.
[[nodiscard]] Expected<void> counts_are_of(const ExecutedCounts& counts, const Listing& listing);

}  // namespace warpclock
