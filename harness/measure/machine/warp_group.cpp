#include "measure/machine/warp_group.hpp"

#include <algorithm>
#include <utility>

#include "code/listing.hpp"
#include "compose/hole_source.hpp"

namespace warpclock {
namespace {

// The stall counts with which ptxas 13 encodes these instructions in a loop of wgmma.
constexpr int arrive_stall = 6, multiply_stall = 4, wait_stall = 2;

/// Multiplies with the subject's operands, and what a warp group must execute around them.
class Batch {
 public:
  Batch(const MachineSubject& subject, Placer& placer, const Movers& movers)
      : subject_(subject), placer_(placer), movers_(movers) {}

  Expected<void> arrive() { return add(*movers_.arrive, {}, arrive_stall); }
  Expected<void> multiply(int chain, int stall, bool yield = false) {
    WARPCLOCK_TRY(add(*subject_.form, placement(chain), std::max(stall, multiply_stall)));
    copies_.back().yield = yield;
    return {};
  }
  /// Ends the batch if the last multiply did not, and waits for it.
  Expected<void> wait() {
    if (subject_.commits != subject_.form) WARPCLOCK_TRY(add(*subject_.commits, placement(0), multiply_stall));
    WARPCLOCK_TRY(add(*movers_.wait, {}, wait_stall));
    return all_batches(copies_.back());
  }

  Expected<void> other(const MachineSubject& other, int chain) {
    return add(*other.form, {.chain = chain, .two_banks = true}, 1);
  }

  std::vector<Copy> take() { return std::move(copies_); }

 private:
  /// A multiply adds to its own accumulators.
  Placement placement(int chain) const { return {.chain = chain, .through = subject_.accumulators}; }

  Expected<void> add(const WordForm& form, const Placement& placement, int stall) {
    copies_.emplace_back() = WARPCLOCK_TRY(placer_.place(form, placement));
    copies_.back().stall = stall;
    return {};
  }

  /// Makes a wait one for all batches, whatever number ptxas gave it.
  Expected<void> all_batches(Copy& copy) const {
    const auto& numerals = movers_.wait->skeleton.numerals;
    for (std::size_t i = 1; i < numerals.size(); ++i) {
      if (numerals[i].kind == Numeral::Kind::Number)
        copy.word = WARPCLOCK_TRY(with_number(*movers_.wait, copy.word, i, 0));
    }
    return {};
  }

  const MachineSubject& subject_;
  Placer& placer_;
  const Movers& movers_;
  std::vector<Copy> copies_;
};

}  // namespace

Expected<std::vector<Copy>> independent_multiplies(const MachineSubject& subject, int n, int stall, bool yield,
                                                   Placer& placer, const Movers& movers) {
  Batch batch(subject, placer, movers);
  WARPCLOCK_TRY(batch.arrive());
  for (int i = 0; i < n; ++i) {
    WARPCLOCK_TRY(batch.multiply(i % static_cast<int>(result_quads), stall, yield));
  }
  WARPCLOCK_TRY(batch.wait());
  return batch.take();
}

Expected<std::vector<Copy>> accompanied_multiplies(const MachineSubject& subject, const MachineSubject& other, int n,
                                                   int each, Placer& placer, const Movers& movers) {
  Batch batch(subject, placer, movers);
  constexpr int chains = static_cast<int>(result_quads);
  WARPCLOCK_TRY(batch.arrive());
  for (int i = 0; i < n; ++i) {
    WARPCLOCK_TRY(batch.multiply(i % chains, 1));
    for (int j = 0; j < each; ++j) WARPCLOCK_TRY(batch.other(other, j % chains));
  }
  WARPCLOCK_TRY(batch.wait());
  return batch.take();
}

Expected<std::vector<Copy>> chained_multiplies(const MachineSubject& subject, const ChainRoute& route, int n,
                                               Placer& placer, const Movers& movers) {
  Batch batch(subject, placer, movers);
  const bool waits = subject.commits == subject.form;
  if (route.source != subject.accumulators) return fail("compose", "its result is no operand of this kind");
  WARPCLOCK_TRY(batch.arrive());
  for (int i = 0; i < n; ++i) {
    WARPCLOCK_TRY(batch.multiply(0, multiply_stall));
    if (waits || i == n - 1) WARPCLOCK_TRY(batch.wait());
  }
  return batch.take();
}

}  // namespace warpclock
