#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/lookup.hpp"
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
    if (auto box = box_of(warp, step, lanes, 2)) reader_.copied(warp.position, step, *box);
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
      reader_.copied(warp.position, step, {.rows = {{from[first], static_cast<std::uint64_t>(bytes)}}});
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

/// UTMASTG [shared], [descriptor]: no mbarrier is between the address in shared memory and the coordinates.
BlockRun::Went BlockRun::store_tensor(const ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const auto lanes = lanes_of(warp, step, warp.splits[at].lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  Meeting meeting{.kind = Meeting::Kind::Store, .index = step.index};
  if (const auto box = box_of(warp, step, *lanes, 1)) {
    reader_.copied(warp.position, step, *box);
    meeting.bytes = -static_cast<std::int64_t>(box->bytes());
  }
  reader_.met(warp.position, meeting);
  return Went::On;
}

/// The words of a descriptor in constant memory, as a parameter, or in global memory; nothing if one is not known.
std::optional<std::array<std::uint32_t, MappedTensor::words>> BlockRun::descriptor_at(std::uint64_t address) {
  std::array<std::uint32_t, MappedTensor::words> words{};
  const bool constant = address >> 32U == constant_window;
  if (!constant && global_.buffer_at(address, sizeof(words)) == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (constant) {
      const auto* const word = value_at(launch_.constants, static_cast<std::uint32_t>(address + register_bytes * i));
      if (word == nullptr) return std::nullopt;
      words[i] = *word;
      continue;
    }
    const KnownWord word = global_.read(address + register_bytes * i, register_bytes);
    if (!word.known) return std::nullopt;
    words[i] = word.value;
  }
  return words;
}

/// What a tensor copy takes or brings, if its descriptor and its coordinates are known. These are in the registers
/// after that of its address in shared memory, from the `first` one on; of a copy to several blocks, a mask of them is
/// the last operand. All of them are taken to copy as much.
std::optional<BulkCopy> BlockRun::box_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                                         std::uint16_t first) {
  if (step.dimensions == 0 || step.addresses.size() < 2) return std::nullopt;
  const std::size_t lane = first_lane(lanes);
  AddressSource source = step.addresses[1];
  source.uniform_wide = true;
  LaneAddresses descriptor;
  const bool quiet = std::exchange(quiet_, true);
  const bool found = addresses_of(warp, step, source, lanes, descriptor);
  const auto mask = step.words.empty() ? std::nullopt : number_of(warp, step, 0, lanes);
  quiet_ = quiet;
  const auto words = found ? descriptor_at(descriptor[lane]) : std::nullopt;
  const auto map = words ? mapped_tensor(*words) : std::nullopt;
  if (!map || map->dimensions != step.dimensions) return std::nullopt;
  std::array<std::int32_t, MappedTensor::most> coordinates{};
  for (std::uint16_t i = 0; i < map->dimensions; ++i) {
    const auto place = static_cast<std::uint16_t>(step.addresses[0].uniform + first + i);
    if (!has_lane(warp.known(place), lane)) return std::nullopt;
    coordinates[i] = static_cast<std::int32_t>(warp.word(place)[lane]);
  }
  BulkCopy copy{map->rows(std::span(coordinates).first(map->dimensions))};
  if (mask) copy.receivers = std::max(1, std::popcount(*mask & 0xffffU));
  return copy;
}

}  // namespace warpclock
