#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

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
    if (reports(warp)) reader_.accessed(warp.position, step, 0, lanes, to);
    if (reports(warp) && sources != 0) reader_.accessed(warp.position, step, 1, sources, from);
    for (std::size_t i = 0; i < warp_lanes && step.needs_values; ++i) {
      for (std::size_t k = 0; k < step.bytes && has_lane(lanes, i); k += register_bytes)
        block_of(warp).shared.write((to[i] & shared_mask) + k, register_bytes,
                                    has_lane(sources, i) ? global_.read(from[i] + k, register_bytes) : known_word(0));
    }
    return held_in_limits(warp, step);
  }
  return bulk_copy(warp, step, lanes, to);
}

BlockRun::Went BlockRun::bulk_copy(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& to) {
  const std::size_t first = first_lane(lanes);
  const auto holds_mbarrier = static_cast<std::uint16_t>(step.addresses[0].uniform + 1);
  if (!has_lane(warp.known(holds_mbarrier), first))
    return fail_unknown(step, warp.origin_of(holds_mbarrier), "the mbarrier");
  const auto [rank, place] = mbarrier_place(warp.word(holds_mbarrier)[first]);
  const auto receivers = receivers_of(warp, step, lanes, rank);
  // A copy out of shared memory arrives at no mbarrier.
  if (!std::ranges::all_of(receivers, [&](auto one) { return blocks_[one].mbarriers.knows(place); })) return Went::On;
  std::vector<Meeting> meetings;
  for (const std::uint32_t each : receivers)
    meetings.push_back({.kind = Meeting::Kind::Copy, .index = step.index, .place = place, .rank = each});
  if (step.tensor) {
    for (const std::uint32_t each : receivers) blocks_[each].tensor_copies.insert(place);
    if (auto box = box_of(warp, step, lanes, 2)) report_box(warp, step, *box);
  } else {
    const auto bytes = copied_in_bulk(warp, step, lanes, to, receivers);
    if (!bytes) return Went::Failed;
    for (Meeting& one : meetings) one.bytes = -*bytes;
  }
  meet_mbarriers(warp, meetings);
  return held_in_limits(warp, step);
}

/// By the mask of a copy to several blocks, which is its last operand; else the block of the mbarrier.
std::vector<std::uint32_t> BlockRun::receivers_of(const ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                                                  std::uint32_t rank) {
  const bool several = step.has(Modifier::Multicast) && !step.words.empty();
  const bool quiet = std::exchange(quiet_, true);
  const auto mask = several ? number_of(warp, step, step.words.size() - 1, lanes) : std::nullopt;
  quiet_ = quiet;
  std::vector<std::uint32_t> made;
  for (std::uint32_t each = 0; mask && each < blocks_.size(); ++each) {
    if (has_lane(*mask, each)) made.push_back(each);
  }
  if (made.empty()) made.push_back(rank < blocks_.size() ? rank : warp.position.cluster_rank);
  return made;
}

/// UBLKCP.S.G. The bytes that each receiver gets; nothing after an error.
std::optional<std::int64_t> BlockRun::copied_in_bulk(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                                                     const LaneAddresses& to,
                                                     const std::vector<std::uint32_t>& receivers) {
  constexpr std::int64_t unit = 16;
  const std::size_t first = first_lane(lanes);
  const auto size = number_of(warp, step, 0, lanes);
  if (!size) return std::nullopt;
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
  if (!found && !goes_on_without(warp, step)) return std::nullopt;
  if (found && reports(warp))
    reader_.copied(warp.position, step, {.rows = {{from[first], static_cast<std::uint64_t>(bytes)}}});
  constexpr std::uint64_t bytes_of_access = 128;
  if (program_.values_of_shared) ran_ += static_cast<std::uint64_t>(bytes) / bytes_of_access * receivers.size();
  for (std::int64_t k = 0; k < bytes && program_.values_of_shared; k += register_bytes) {
    const KnownWord word =
        found ? global_.read(from[first] + static_cast<std::uint64_t>(k), register_bytes) : KnownWord();
    for (const std::uint32_t each : receivers)
      blocks_[each].shared.write((to[first] & shared_mask) + static_cast<std::size_t>(k), register_bytes, word);
  }
  return bytes;
}

/// STAS [R8.64+0x10], R3: where it stores is in R8, its mbarrier in the register after it, each with the rank of a
/// block.
BlockRun::Went BlockRun::store_counted(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const auto lanes = lanes_of(warp, step, warp.splits[at].lanes);
  if (!lanes) return Went::Failed;
  if (step.addresses.empty() || step.words.empty() || step.words[0].kind != WordSource::Kind::Register)
    return fail_with("unfollowed", step, "its operands are not understood");
  const AddressSource& to = step.addresses[0];
  const auto mbarrier_in = static_cast<std::uint16_t>(to.base + 1);
  for (const std::uint16_t place : {to.base, mbarrier_in}) {
    if ((*lanes & ~warp.known(place)) != 0) return fail_unknown(step, warp.origin_of(place), "the address");
  }
  std::map<MbarrierPlace, std::int64_t> bytes;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(*lanes, i)) continue;
    const std::uint64_t address = warp.word(to.base)[i] + static_cast<std::uint64_t>(to.offset);
    const auto mbarrier = mbarrier_place(warp.word(mbarrier_in)[i]);
    if (mbarrier.rank >= blocks_.size() || shared_rank(address) >= blocks_.size())
      return fail_with("unfollowed", step, "it stores to no block of its cluster");
    bytes[mbarrier] -= step.bytes;
    for (std::size_t k = 0; k * register_bytes < step.bytes; ++k) {
      const std::uint16_t from = places::word_of(step.words[0].place, k);
      blocks_[shared_rank(address)].shared.write(
          (address & shared_mask) + k * register_bytes, register_bytes,
          has_lane(warp.known(from), i) ? known_word(warp.word(from)[i]) : KnownWord());
    }
  }
  std::vector<Meeting> meetings;
  for (const auto& [mbarrier, each] : bytes)
    meetings.push_back({.kind = Meeting::Kind::Copy,
                        .index = step.index,
                        .place = mbarrier.place,
                        .rank = mbarrier.rank,
                        .bytes = each});
  meet_mbarriers(warp, meetings);
  return Went::On;
}

void BlockRun::report_box(const ExecutedWarp& warp, const CodeStep& step, const BulkCopy& box) {
  constexpr std::size_t usual_rows = 256, rows_of_access = 4;
  if (box.rows.size() > usual_rows) ran_ += box.rows.size() / rows_of_access;
  if (reports(warp)) reader_.copied(warp.position, step, box);
}

/// UTMASTG [shared], [descriptor]: no mbarrier is between the address in shared memory and the coordinates.
BlockRun::Went BlockRun::store_tensor(const ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const auto lanes = lanes_of(warp, step, warp.splits[at].lanes);
  if (!lanes) return Went::Failed;
  if (*lanes == 0) return Went::On;
  Meeting meeting{.kind = Meeting::Kind::Store, .index = step.index};
  if (const auto box = box_of(warp, step, *lanes, 1)) {
    report_box(warp, step, *box);
    meeting.bytes = -static_cast<std::int64_t>(box->bytes());
  }
  tell(warp, meeting);
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
