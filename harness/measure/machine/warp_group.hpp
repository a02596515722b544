#pragma once

#include <vector>

#include "base/error.hpp"
#include "compose/machine_subject.hpp"
#include "compose/placing.hpp"

namespace warpclock {

/// Independent copies of a multiply of a warp group: the group arrives, issues all of them, ends the batch, and waits
/// for it. `stall` is the least distance between two multiplies. Errors: those of Placer::place().
[[nodiscard]] Expected<std::vector<Copy>> independent_multiplies(const MachineSubject& subject, int n, int stall,
                                                                 bool yield, Placer& placer, const Movers& movers);

/// Independent multiplies, each followed by `each` independent copies of another form, in one batch. Errors: as above.
[[nodiscard]] Expected<std::vector<Copy>> accompanied_multiplies(const MachineSubject& subject,
                                                                 const MachineSubject& other, int n, int each,
                                                                 Placer& placer, const Movers& movers);

/// A chain through the accumulators. The group arrives once. If the multiply ends a batch (gsb0), the group waits for
/// each one before it issues the next; otherwise the hardware keeps the order. Errors: as above.
[[nodiscard]] Expected<std::vector<Copy>> chained_multiplies(const MachineSubject& subject, const ChainRoute& route,
                                                             int n, Placer& placer, const Movers& movers);

}  // namespace warpclock
