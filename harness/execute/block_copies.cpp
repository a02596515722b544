#include <cstddef>
#include <cstdint>

#include "execute/block_run.hpp"
#include "execute/explain.hpp"

namespace warpclock {

/// LDGSTS [shared], [global], p; UBLKCP.S.G [shared], [global], size; UTMALDG [shared], [descriptor]. The mbarrier of
/// the last two is in the register after the first one.
BlockRun::Went BlockRun::copy(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const bool by_lanes = step.bytes > 0;
  if (step.addresses.size() < 2) return fail_with("unfollowed", step, "its addresses are not understood");
  quiet_ = by_lanes && reader_.was_lost(step);
  const auto guarded = lanes_of(warp, step, warp.splits[at].lanes);
  if (!guarded) return by_lanes ? lose(warp, step, 0) : Went::Failed;
  LaneMask lanes = *guarded;
  if (lanes == 0) {
    quiet_ = false;
    return Went::On;
  }
  LaneAddresses to, from;
  if (!addresses_of(warp, step, step.addresses[0], lanes, to)) return by_lanes ? lose(warp, step, 0) : Went::Failed;
  if (by_lanes) {
    LaneMask sources = lanes;
    if (!step.predicates.empty()) {
      const auto [holds, unknown] = warp.holding(step.predicates[0], lanes);
      if (unknown != 0) {
        fail_unknown(step, warp.origin_of(step.predicates[0]), "which lanes it copies");
        return lose(warp, step, 0);
      }
      sources = holds;
    }
    if (!addresses_of(warp, step, step.addresses[1], sources, from) ||
        !in_memory(step, StepSpace::Shared, lanes, to, step.bytes) ||
        !in_memory(step, StepSpace::Global, sources, from, step.bytes))
      return lose(warp, step, 0);
    quiet_ = false;
    reader_.accessed(warp.position, step, 0, lanes, to);
    if (sources != 0) reader_.accessed(warp.position, step, 1, sources, from);
    for (std::size_t i = 0; i < warp_lanes && step.needs_values; ++i) {
      for (std::size_t k = 0; k < step.bytes && has_lane(lanes, i); k += register_bytes)
        shared_.write((to[i] & shared_mask) + k, register_bytes,
                      has_lane(sources, i) ? global_.read(from[i] + k, register_bytes) : known_word(0));
    }
    return Went::On;
  }
  return bulk_copy(warp, step, lanes, to);
}

BlockRun::Went BlockRun::bulk_copy(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& to) {
  const std::size_t first = first_lane(lanes);
  const auto holds_mbarrier = static_cast<std::uint16_t>(step.addresses[0].uniform + 1);
  if (!has_lane(warp.known(holds_mbarrier), first))
    return fail_unknown(step, warp.origin_of(holds_mbarrier), "the mbarrier");
  const std::uint32_t mbarrier = mbarrier_place(warp.word(holds_mbarrier)[first]);
  // A copy out of shared memory arrives at no mbarrier.
  if (!mbarriers_.knows(mbarrier)) return Went::On;
  Meeting meeting{.kind = Meeting::Kind::Copy, .index = step.index, .place = mbarrier};
  if (step.tensor) {
    tensor_copies_.insert(mbarrier);
  } else {
    constexpr std::int64_t unit = 16;
    const auto size = number_of(warp, step, 0, lanes);
    if (!size) return Went::Failed;
    LaneAddresses from;
    AddressSource source = step.addresses[1];
    source.uniform_wide = true;
    const std::int64_t bytes = unit * std::int64_t{*size & 0xffffU};
    quiet_ = reader_.was_lost(step);
    bool found = addresses_of(warp, step, source, lanes, from);
    if (found && global_.buffer_at(from[first], static_cast<std::uint64_t>(bytes)) == nullptr) {
      fail_with("address", step, outside_of_buffers(launch_, first, from[first]));
      found = false;
    }
    if (found) quiet_ = false;
    if (found)
      reader_.copied(warp.position, step, from[first], static_cast<std::uint64_t>(bytes));
    else if (!goes_on_without(warp, step))
      return Went::Failed;
    for (std::int64_t k = 0; k < bytes && program_.values_of_shared; k += register_bytes)
      shared_.write((to[first] & shared_mask) + static_cast<std::size_t>(k), register_bytes,
                    found ? global_.read(from[first] + static_cast<std::uint64_t>(k), register_bytes) : KnownWord());
    meeting.bytes = -bytes;
  }
  reader_.met(warp.position, meeting);
  mbarriers_.meet(meeting, 0);
  release_mbarrier(mbarrier);
  return Went::On;
}

/// UTMASTG [descriptor], [shared]: how many bytes it takes, its descriptor says, which is not read.
BlockRun::Went BlockRun::store_tensor(const ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const auto lanes = lanes_of(warp, step, warp.splits[at].lanes);
  if (!lanes) return Went::Failed;
  if (*lanes != 0) reader_.met(warp.position, {.kind = Meeting::Kind::Store, .index = step.index});
  return Went::On;
}

}  // namespace warpclock
