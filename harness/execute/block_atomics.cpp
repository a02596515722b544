#include <algorithm>

#include "base/lookup.hpp"
#include "execute/block_run.hpp"
#include "execute/forms/atomics.hpp"

namespace warpclock {
namespace {

/// The words of a register source in a lane; nothing if one is not known.
std::optional<AtomicWords> words_of(const ExecutedWarp& warp, const CodeStep& step, std::size_t source,
                                    std::size_t lane) {
  AtomicWords made{};
  if (source >= step.words.size()) return made;
  const WordSource& from = step.words[source];
  if (from.kind != WordSource::Kind::Register) return std::nullopt;
  for (std::uint16_t k = 0; k * register_bytes < step.bytes; ++k) {
    const std::uint16_t place = places::word_of(from.place, k);
    if (!has_lane(warp.known(place), lane)) return std::nullopt;
    made[k] = warp.word(place)[lane];
  }
  return made;
}

}  // namespace

bool reads_counter(const CodeStep& step) {
  const bool counts = step.atomic == AtomicOperation::Add || step.atomic == AtomicOperation::Increment;
  return step.access == StepAccess::Atomic && counts && step.needs_values && step.bytes == register_bytes &&
         (step.space == StepSpace::Global || step.space == StepSpace::Generic) &&
         std::ranges::any_of(step.results, [](const StepResult& one) { return !one.predicate && !one.sink; });
}

void BlockRun::take_turns(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                          const LaneAddresses& addresses) {
  const bool increments = step.atomic == AtomicOperation::Increment;
  struct Added {
    std::uint32_t sum = 0, limit = 0;
    bool known = true;
  };
  std::map<std::uint64_t, Added> all;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    const auto operand = words_of(warp, step, 0, i);
    Added& one = all[addresses[i]];
    one.known = one.known && operand;
    if (operand) one.sum += increments ? 1 : operand->front(), one.limit = operand->front();
  }
  const std::uint64_t clusters = launch_.blocks() / blocks_.size();
  for (const auto& [address, added] : all) {
    const auto [counter, is_new] = between_.counters.try_emplace(address);
    // Who hands out work by a counter begins with 0: what it held then is not always known.
    if (is_new) counter->second = global_.read(address, register_bytes);
    const std::uint64_t turn = value_or(launch_.counted, step.index, turns_[address]++ * clusters + cluster_);
    if (!added.known) continue;
    std::uint64_t value = counter->second.value + turn * added.sum;
    if (increments) value %= std::uint64_t{added.limit} + 1;
    global_.write(address, register_bytes, known_word(static_cast<std::uint32_t>(value)));
  }
}

/// Lanes one after the other; their order is not known, so an old value that depends on it is not either.
void BlockRun::atomic(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses) {
  const StepSpace space = space_at(step, addresses[first_lane(lanes)]);
  const std::size_t operands = step.atomic == AtomicOperation::Count            ? 0
                               : step.atomic == AtomicOperation::CompareAndSwap ? 2
                                                                                : 1;
  const bool followed = step.bytes >= register_bytes && step.bytes <= sizeof(AtomicWords) &&
                        step.atomic != AtomicOperation::Unfollowed && step.words.size() >= operands;
  if (limits_.at_once && space == StepSpace::Global && reads_counter(step)) take_turns(warp, step, lanes, addresses);
  StepOutputs out;
  out.known = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    const std::size_t words = std::max<std::size_t>(1, step.bytes / register_bytes);
    AtomicWords old{};
    bool known = followed;
    for (std::size_t k = 0; k < words && known; ++k) {
      const auto word = read(warp, space, addresses[i] + register_bytes * k, register_bytes, i);
      known = word.known;
      old[k] = word.value;
    }
    const auto operand = known ? words_of(warp, step, 0, i) : std::nullopt;
    const auto other = operand ? words_of(warp, step, 1, i) : std::nullopt;
    const auto made = other ? std::optional(atomic_result(step, old, *operand, *other)) : std::nullopt;
    if (made) {
      for (std::size_t k = 0; k < words; ++k) out.word[k][i] = old[k];
      out.known |= LaneMask{1} << i;
    }
    for (std::size_t k = 0; k < words; ++k)
      write(warp, space, addresses[i] + register_bytes * k, register_bytes, i,
            made ? known_word((*made)[k]) : KnownWord());
    if (!made || *made != old) note_change(warp);
  }
  out.predicate[0] = all_lanes;
  warp.write(step, out, {lanes, 0}, {Origin::Kind::Instruction, step.index});
}

}  // namespace warpclock
