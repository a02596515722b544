#pragma once

#include <string>
#include <vector>

#include "model/make_machine.hpp"

namespace warpclock {

/// `bound` are the parameters of the entry's name. The leaves of a rule: one named as the rule, or those of a line;
/// none if no record has them. Error "config" if several rows fit and the place does not say which is meant.
[[nodiscard]] Expected<std::vector<Leaf>> leaves_of(const LeafRule& rule, const GpuRecords& records,
                                                    const Parameters& bound);

/// The names of the leaves that a rule asks for.
[[nodiscard]] std::vector<std::string> names_of(const LeafRule& rule);

}  // namespace warpclock
