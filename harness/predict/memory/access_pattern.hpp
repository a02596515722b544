#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "code/listing.hpp"
#include "inspect/inspection.hpp"
#include "predict/memory/atomic_places.hpp"

namespace warpclock {

/// Bytes whose lines are in one half of L2.
inline constexpr std::uint64_t page_bytes = 1024;

/// What an access to memory needs of the memory system, on the average of its executions by warps.
struct AccessPattern {
  bool deduced = false;    ///< whether its addresses are known; else lanes are taken to be next to each other
  double wavefronts = 1;   ///< turns of the banks of shared memory
  double sectors = 4;      ///< of 32 bytes of global memory
  double lines = 1;        ///< of 128 bytes
  double l1_turns = 1;     ///< see l1_turns()
  double pieces = 1;       ///< runs of lines next to each other
  double new_sectors = 4;  ///< of a load that L1 keeps: those that L1 does not have; else those that no execution in
                           ///< the block before has touched
  double first_sectors =
      0;  ///< of a load that L1 keeps: those that no load of the block asked for before; 0: not known
  double again_sectors = 0;  ///< of new_sectors, of a load that L1 keeps: those that the block touched before
  double again_after = 0;    ///< bytes that the block touches in between, on the average of these
  double run_bytes = 0;      ///< of its sectors next to each other that the block touches; 0: not known
  double neighbors = 1;      ///< part of these runs beside which another block at once goes on
  double block_sectors = 0;  ///< of all executions in a block, each once; 0: not known
  double asking = 1;         ///< part of the executions of such a load that wait for what L1 did not have
  double sent = 1;           ///< part of a store's sectors that leaves L1; the rest leaves with an earlier store
  double returning = 0;      ///< part of a store's sectors to which its warp has stored before
  double word_turns = 4;     ///< of an atomic operation: see word_turns()
  double active = 32;        ///< lanes of an atomic operation
  AtomicMeeting meeting;
  bool by_block = true;              ///< whether blocks may have different addresses
  double sharers = 1;                ///< blocks at once that load from the same addresses
  double receivers = 1;              ///< blocks of the cluster to which a tensor copy brings the same
  std::vector<std::uint64_t> pages;  ///< of a load: the first that each warp of a block loads from, of page_bytes
  int argument = -1;                 ///< whose buffer it accesses, by its number; -1: not known, or several

  bool operator==(const AccessPattern&) const = default;
};

/// What a load from constant memory whose address is in a register needs, on the average of its executions by warps.
struct ConstantUse {
  double addresses = 1;  ///< that its lanes have
  double missed = 0;     ///< lines that the nearest constant cache does not have
  double waiting = 0;    ///< part of the executions that wait for such lines

  bool operator==(const ConstantUse&) const = default;
};

/// What an instruction accesses, if its pattern matters.
[[nodiscard]] std::optional<Access> followed_access(const Instruction& instruction);

/// A pattern whose lanes are `stride` bytes apart. L1 is taken to have none of its sectors.
[[nodiscard]] AccessPattern strided_pattern(const Instruction& instruction, std::int64_t stride);

/// An atomic operation on global memory.
[[nodiscard]] bool is_atomic(const Instruction& instruction);

/// Such operations of all blocks are to one word.
[[nodiscard]] AccessPattern at_one_word(const Instruction& instruction);

/// Lanes next to each other.
[[nodiscard]] AccessPattern assumed_pattern(const Instruction& instruction);

}  // namespace warpclock
