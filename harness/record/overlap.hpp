#pragma once

#include <optional>
#include <string>

#include "record/machine_record.hpp"

namespace warpclock {

/// The share of the shorter of two times that is hidden if both together take `both`: 1 if that is the longer one, 0 if
/// it is their sum, less than 0 if it is more.
[[nodiscard]] double hidden_share(double a, double b, double both);

/// Cycles of one instruction of a form on a sub-partition, from the pair of two of them.
[[nodiscard]] std::optional<double> alone_cycles(const MachineTable& table, const std::string& form);

/// The hidden share of a pair of forms; none if one of the three times is missing.
[[nodiscard]] std::optional<double> hidden_share(const MachineTable& table, const IssueStudy& pair);

/// Whether a pair's share is below 0 or above 1 even at the end of its interval.
[[nodiscard]] bool overlaps_oddly(const MachineTable& table, const IssueStudy& pair);

}  // namespace warpclock
