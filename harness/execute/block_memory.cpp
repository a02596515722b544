#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

#include "base/lookup.hpp"
#include "execute/block_run.hpp"
#include "execute/explain.hpp"

namespace warpclock {
namespace {

/// A value of one or two bytes in a register: with its sign or with zeros.
std::uint32_t extended(std::uint32_t value, std::size_t bytes, bool with_sign) {
  if (bytes >= register_bytes || !with_sign) return value;
  const auto away = static_cast<unsigned>(8 * (register_bytes - bytes));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(value << away) >> away);
}

/// A mask of so many bytes of a register.
std::uint32_t low_bytes(std::size_t bytes) { return bytes >= register_bytes ? ~0U : (1U << 8 * bytes) - 1; }

}  // namespace

bool BlockRun::addresses_of(const ExecutedWarp& warp, const CodeStep& step, const AddressSource& source, LaneMask lanes,
                            LaneAddresses& addresses) {
  const auto missing = [&](std::uint16_t place) { return (lanes & ~warp.known(place)) != 0; };
  const auto high_of = [](std::uint16_t place) { return places::word_of(place, 1); };
  for (const std::uint16_t place : {source.base, source.wide ? high_of(source.base) : source.base, source.uniform,
                                    source.uniform_wide ? high_of(source.uniform) : source.uniform}) {
    if (!missing(place)) continue;
    fail_unknown(step, warp.origin_of(place), "the address");
    return false;
  }
  const Words &low = warp.word(source.base), &high = warp.word(high_of(source.base));
  const Words &uniform = warp.word(source.uniform), &uniform_high = warp.word(high_of(source.uniform));
  const bool wide = source.wide || source.uniform_wide;
  const auto offset = static_cast<std::uint64_t>(source.offset);
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    std::uint64_t base = std::uint64_t{low[i]} << source.shift;
    if (source.wide) base |= std::uint64_t{high[i]} << 32;
    std::uint64_t at = base + uniform[i] + offset;
    if (source.uniform_wide) at += std::uint64_t{uniform_high[i]} << 32;
    addresses[i] = wide ? at : static_cast<std::uint32_t>(at);
  }
  return true;
}

/// Most accesses lie in shared memory or in one buffer as a whole. Others may, too: in_memory() looks at each lane.
bool BlockRun::all_in_memory(const CodeStep& step, StepSpace space, LaneMask lanes, const LaneAddresses& addresses,
                             std::uint64_t bytes) const {
  const bool shared = space == StepSpace::Shared;
  if (step.space == StepSpace::Generic || (!shared && space != StepSpace::Global) || !std::has_single_bit(bytes))
    return false;
  const std::uint64_t any = addresses[first_lane(lanes)], mask = shared ? shared_mask : ~std::uint64_t{0};
  std::uint64_t low = any & mask, high = low, bits = 0;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    const std::uint64_t at = has_lane(lanes, i) ? addresses[i] : any;
    bits |= at;
    low = std::min(low, at & mask), high = std::max(high, at & mask);
  }
  if ((bits & (bytes - 1)) != 0 && !step.has(Modifier::Matrices)) return false;
  if (shared) return high + bytes <= launch_.shared_begin + static_cast<std::uint64_t>(launch_.shared_bytes);
  return global_.buffer_at(low, high - low + bytes) != nullptr;
}

bool BlockRun::in_memory(const CodeStep& step, StepSpace space, LaneMask lanes, const LaneAddresses& addresses,
                         std::uint64_t bytes) {
  if (all_in_memory(step, space, lanes, addresses, bytes)) return true;
  const LaunchBuffer* last = nullptr;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    const std::uint64_t at = addresses[i];
    if (bytes > 0 && at % bytes != 0 && !step.has(Modifier::Matrices)) {
      fail_with("address", step,
                fmt::format("lane {} accesses {} bytes at {:#x}, which is no multiple of them", i, bytes, at));
      return false;
    }
    if (step.space == StepSpace::Generic && space_at(step, at) != space) {
      fail_with("unfollowed", step, "its lanes access different memories");
      return false;
    }
    if (space == StepSpace::Shared) {
      const std::uint64_t end = launch_.shared_begin + static_cast<std::uint64_t>(launch_.shared_bytes);
      if ((at & shared_mask) + bytes <= end) continue;
      fail_with("address", step,
                fmt::format("lane {} accesses shared memory at {:#x}; a block has {} bytes from {:#x} on: "
                            "give the dynamic ones in --launch GRID,BLOCK,SHARED",
                            i, at & shared_mask, launch_.shared_bytes, launch_.shared_begin));
      return false;
    }
    if (space == StepSpace::Local) continue;
    if (last != nullptr && at >= last->address && at - last->address + bytes <= static_cast<std::uint64_t>(last->bytes))
      continue;
    last = global_.buffer_at(at, bytes);
    if (last != nullptr) continue;
    fail_with("address", step, outside_of_buffers(launch_, i, at));
    return false;
  }
  return true;
}

KnownWord BlockRun::read_local(ExecutedWarp& warp, std::uint64_t address, std::size_t bytes, std::size_t lane) {
  const LocalMemory::Word& word = warp.local.at(static_cast<std::uint32_t>(address));
  if (!has_lane(word.known, lane)) return {};
  return known_word(word.words[lane] >> 8 * (address % register_bytes) & low_bytes(bytes));
}

void BlockRun::write_local(ExecutedWarp& warp, std::uint64_t address, std::size_t bytes, std::size_t lane,
                           KnownWord value) {
  LocalMemory::Word& word = warp.local.at(static_cast<std::uint32_t>(address));
  const LaneMask bit = LaneMask{1} << lane;
  if (bytes != register_bytes && !has_lane(word.known, lane)) value = {};
  const auto at = static_cast<unsigned>(8 * (address % register_bytes));
  const std::uint32_t mask = low_bytes(bytes) << at;
  word.words[lane] = value ? (word.words[lane] & ~mask) | (value.value << at & mask) : 0;
  word.known = value ? word.known | bit : word.known & ~bit;
}

bool BlockRun::goes_on_without(const ExecutedWarp& warp, const CodeStep& step) {
  if (program_.follow == Follow::Signals || (!quiet_ && (!error_ || !reader_.lost(warp.position, step, *error_))))
    return false;
  quiet_ = false;
  error_.reset();
  return true;
}

/// A store might be anywhere in its memory.
BlockRun::Went BlockRun::lose(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes) {
  if (!goes_on_without(warp, step)) return Went::Failed;
  warp.forget(step, lanes, {Origin::Kind::Instruction, step.index});
  const bool stores = step.kind == StepKind::Copy || step.access != StepAccess::Load;
  if (!stores) return Went::On;
  if (step.space == StepSpace::Local) warp.local.clear();
  if (step.space == StepSpace::Shared || step.kind == StepKind::Copy) block_of(warp).shared.forget();
  if (step.space == StepSpace::Generic) {
    for (Resident& block : blocks_) block.shared.forget();
  }
  if (step.space == StepSpace::Global || step.space == StepSpace::Generic) global_.forget();
  return Went::On;
}

/// A load from constant memory whose address is not known loads what is not known.
BlockRun::Went BlockRun::load_constant(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  const LaneMask here = warp.splits[at].lanes;
  quiet_ = reader_.was_lost(step);
  const auto lanes = lanes_of(warp, step, here);
  LaneAddresses addresses;
  const bool known = lanes && (*lanes == 0 || addresses_of(warp, step, step.addresses.back(), *lanes, addresses));
  if (!known && error_) reader_.lost(warp.position, step, *error_);
  quiet_ = false;
  error_.reset();
  if (known && *lanes != 0 && reports(warp)) reader_.accessed(warp.position, step, 0, *lanes, addresses);
  if (step.needs_values) warp.evaluate(program_, step, here);
  return Went::On;
}

BlockRun::Went BlockRun::access(ExecutedWarp& warp, std::size_t at, const CodeStep& step) {
  if (step.addresses.empty()) return fail_with("unfollowed", step, "its address is not understood");
  if (step.space == StepSpace::Constant) return load_constant(warp, at, step);
  const LaneMask here = warp.splits[at].lanes;
  quiet_ = reader_.was_lost(step);
  const auto guarded = warp.guarded(step, here);
  const bool loads = step.space == StepSpace::Global && step.access == StepAccess::Load;
  const bool presumed = guarded.unknown != 0 && loads && reader_.presumes(step);
  const auto lanes = presumed ? guarded.lanes | guarded.unknown : lanes_of(warp, step, here);
  if (!lanes) return lose(warp, step, here);
  LaneAddresses addresses;
  const std::uint64_t bytes = step.has(Modifier::Matrices) ? 16 : step.bytes;
  if (*lanes != 0 && (!addresses_of(warp, step, step.addresses.back(), *lanes, addresses) ||
                      !in_memory(step, space_at(step, addresses[first_lane(*lanes)]), *lanes, addresses, bytes)))
    return lose(warp, step, *lanes);
  quiet_ = false;
  if (*lanes == 0) return Went::On;
  if (reports(warp)) reader_.accessed(warp.position, step, 0, *lanes, addresses);
  if (!step.needs_values) return Went::On;
  const bool signals = program_.follow == Follow::Signals && step.access == StepAccess::Load;
  if (presumed || (signals && !step.has(Modifier::Strong))) {
    warp.forget(step, *lanes, presumed ? warp.origin_of(step.guard) : Origin{Origin::Kind::Instruction, step.index});
    return Went::On;
  }
  if (step.has(Modifier::Strong)) note_between(warp, at, step, *lanes, addresses);
  if (step.access == StepAccess::Load) load(warp, step, *lanes, addresses);
  if (step.access == StepAccess::Store) note_change(warp), store(warp, step, *lanes, addresses);
  if (step.access == StepAccess::Atomic) atomic(warp, step, *lanes, addresses);
  return held_in_limits(warp, step);
}

BlockRun::Went BlockRun::held_in_limits(const ExecutedWarp& warp, const CodeStep& step) {
  constexpr std::size_t most_between = std::size_t{1} << 22;  // addresses
  const bool too_many = between_.stores.size() > most_between || turns_.size() > most_between;
  if (!warp.local.too_large() && !global_.too_large() && !too_many) return Went::On;
  return fail_with("limit", step,
                   "the run needs more memory than its limit: 256 MiB of buffers whose contents decide "
                   "something, 512 KiB of each thread, and 4 million addresses by which blocks tell others something");
}

void BlockRun::note_between(ExecutedWarp& warp, std::size_t at, const CodeStep& step, LaneMask lanes,
                            const LaneAddresses& addresses) {
  if (!program_.polls || space_at(step, addresses[first_lane(lanes)]) != StepSpace::Global) return;
  close(warp, warp.splits[at], step.index);
  // The first look is often before the loop.
  const bool looks = step.polls || step.access == StepAccess::Load, stores = step.access != StepAccess::Load;
  std::map<std::uint64_t, std::uint64_t> seen;  // by block: the last of its stores
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    if (const auto* store = value_at(between_.stores, addresses[i]); looks && store && store->block != block_) {
      std::uint64_t& last = seen[store->block];
      last = std::max(last, store->number);
    }
    // The first store of a block ends the wait, whatever it stores there later.
    const auto [last, is_new] = stores ? between_.stores.try_emplace(addresses[i], StoredBefore{block_, stored_})
                                       : std::pair(between_.stores.end(), false);
    if (stores && !is_new && last->second.block != block_) last->second = {block_, stored_};
  }
  if (!reports(warp)) return;
  for (const auto& [block, number] : seen) reader_.looked(warp.position, {block, number});
  if (stores) ++stored_, reader_.stored(warp.position);
}

void BlockRun::load(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses) {
  const StepSpace space = space_at(step, addresses[first_lane(lanes)]);
  const bool matrices = step.has(Modifier::Matrices), transposed = step.has(Modifier::Transposed);
  const std::size_t words = std::max<std::size_t>(1, step.bytes / register_bytes),
                    bytes = std::min<std::size_t>(step.bytes, register_bytes);
  StepOutputs out;
  for (std::size_t i = 0; i < warp_lanes; ++i) {
    if (!has_lane(lanes, i)) continue;
    for (std::size_t k = 0; k < std::min(words, out.word.size()); ++k) {
      KnownWord value;
      if (!matrices) {
        value = read(warp, space, addresses[i] + register_bytes * k, bytes, i);
        if (value) value.value = extended(value.value, bytes, step.has(Modifier::Signed));
      } else if (!transposed) {
        // PTX ISA, "ldmatrix": row i / 4 of matrix k, whose address lane 8 k + i / 4 has; two elements of it.
        value = read(warp, space, addresses[(8 * k + i / 4) % warp_lanes] + 4 * (i % 4), register_bytes, i);
      } else {
        const auto row = [&](std::size_t which) {
          return read(warp, space, addresses[(8 * k + which) % warp_lanes] + 2 * (i / 4), 2, i);
        };
        const auto first = row(2 * (i % 4)), second = row(2 * (i % 4) + 1);
        if (first && second) value = known_word(first.value | second.value << 16);
      }
      out.word[k][i] = value.value;
      if (!value) out.known &= ~(LaneMask{1} << i);
    }
  }
  warp.write(step, out, {lanes, 0}, {Origin::Kind::Instruction, step.index});
}

void BlockRun::store(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes, const LaneAddresses& addresses) {
  const StepSpace space = space_at(step, addresses[first_lane(lanes)]);
  const bool followed = !step.words.empty() && step.words[0].kind == WordSource::Kind::Register;
  if (followed && step.has(Modifier::Matrices)) return store_matrices(warp, step, lanes, addresses);
  const std::size_t words = std::max<std::size_t>(1, step.bytes / register_bytes),
                    bytes = std::min<std::size_t>(step.bytes, register_bytes);
  for (std::size_t k = 0; k < words; ++k) {
    const std::uint16_t place = followed ? places::word_of(step.words[0].place, k) : places::vector_zero;
    const LaneMask known = followed ? warp.known(place) : 0;
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!has_lane(lanes, i)) continue;
      const auto value = has_lane(known, i) ? known_word(warp.word(place)[i]) : KnownWord();
      write(warp, space, addresses[i] + register_bytes * k, bytes, i, value);
    }
  }
}

/// The opposite of a load of matrices.
void BlockRun::store_matrices(ExecutedWarp& warp, const CodeStep& step, LaneMask lanes,
                              const LaneAddresses& addresses) {
  for (std::size_t k = 0; k < std::max<std::size_t>(1, step.bytes / register_bytes); ++k) {
    const auto place = static_cast<std::uint16_t>(step.words[0].place + k);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!has_lane(lanes, i)) continue;
      const auto word = has_lane(warp.known(place), i) ? known_word(warp.word(place)[i]) : KnownWord();
      const auto row = [&](std::size_t which) { return addresses[(8 * k + which) % warp_lanes]; };
      if (!step.has(Modifier::Transposed)) {
        write(warp, step.space, row(i / 4) + 4 * (i % 4), register_bytes, i, word);
        continue;
      }
      for (std::size_t half = 0; half < 2; ++half)
        write(warp, step.space, row(2 * (i % 4) + half) + 2 * (i / 4), 2, i,
              word ? known_word(word.value >> 16 * half & 0xffffU) : KnownWord());
    }
  }
}

}  // namespace warpclock
