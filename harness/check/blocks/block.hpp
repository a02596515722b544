#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/study.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// A generated kernel: a random mix of operations that each warp repeats.
struct BlockPlan {
  std::uint64_t seed = 0;
  std::int64_t index = 0;
  bool straight = false;         ///< the loop has several copies of the block, so that its jump hardly counts; else one
  std::int64_t warps = 1;        ///< on an SM
  bool all_sms = true;           ///< else one block alone
  std::int64_t streams = 1;      ///< dependent chains of operations in each warp
  std::int64_t operations = 8;   ///< of the block, of one or more PTX instructions
  std::int64_t ways = 1;         ///< lanes that meet in one bank of shared memory, where loads and stores have 4 bytes
  std::vector<std::string> mix;  ///< groups of operations, as "xu"; a group that is named twice is twice as frequent

  [[nodiscard]] std::int64_t blocks_per_sm() const;
  [[nodiscard]] std::int64_t threads() const;  ///< of a block
  [[nodiscard]] std::int64_t copies() const;
  /// So many that the launch does not count: about 300,000 cycles.
  [[nodiscard]] std::int64_t trips() const;
  [[nodiscard]] std::string kernel() const;
  [[nodiscard]] Parameters parameters() const;
};

/// The same on every machine.
[[nodiscard]] BlockPlan plan_block(std::uint64_t seed, std::int64_t index);

/// Its kernel in PTX, without the head of a module. It takes (u64 results, u32 zero).
[[nodiscard]] std::string block_ptx(const BlockPlan& plan);

/// Blocks 0 to `count` - 1, of which those with an odd index are held out. Several have one source.
[[nodiscard]] std::vector<KernelCase> block_cases(std::uint64_t seed, std::int64_t count, std::int64_t sms,
                                                  const Arch& arch);

/// The PTX of one block of block_cases(), as a module.
[[nodiscard]] std::string ptx_alone(const KernelCase& one, const Arch& arch);

}  // namespace warpclock
