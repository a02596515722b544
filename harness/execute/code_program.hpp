#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "execute/forms/code_step.hpp"
#include "execute/launch.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// What is executed of a kernel.
enum class Follow : std::uint8_t {
  Signals,    ///< what decides jumps and barriers, if of memory that is only what blocks tell each other
  Path,       ///< what decides jumps and barriers
  Guards,     ///< and which lanes access memory
  Addresses,  ///< and the addresses of accesses
  All         ///< all values
};

/// Where a value comes from that nobody knows.
struct Origin {
  enum class Kind : std::uint8_t { None, Instruction, Constant };
  Kind kind = Kind::None;
  std::uint32_t at = 0;  ///< index in the listing, or the offset in constant bank 0

  bool operator==(const Origin&) const = default;
};

/// A number of the pool that a launch gives: some bytes of its constant banks.
struct PoolConstant {
  std::uint32_t number = 0, place = 0;  ///< in the pool, and in the banks
  std::uint8_t bytes = 0;
  bool with_sign = false;
};

/// A kernel with a launch, ready to be executed.
struct CodeProgram {
  std::vector<CodeStep> steps;               ///< those that are needed, in the order of the listing, and a last one
  std::vector<std::uint32_t> step_at;        ///< for each instruction: the first step that is not before it
  std::vector<Words> pool;                   ///< numbers in all lanes
  std::uint32_t table = 0, table_words = 0;  ///< where it has the constant bank, if that is accessed by a register
  std::vector<std::uint8_t> known_pool;
  std::vector<Origin> pool_origins;
  std::vector<PoolConstant> constants;  ///< the numbers that another launch may change
  Follow follow = Follow::Addresses;
  bool path_by_block = false;     ///< whether the index of the block or memory decides jumps, barriers or guards of
                                  ///< accesses
  bool polls = false;             ///< whether a block may wait until another one writes to global memory
  bool values_of_memory = false;  ///< whether what global memory holds decides anything
  bool values_of_shared = false, values_of_local = false;
};

/// Decodes the instructions once, and finds those that decide what is to be followed.
[[nodiscard]] CodeProgram code_program(const LoadedKernel& kernel, const ExecutedLaunch& launch, Follow follow);

/// Takes the constants of another launch, which has them in the same places. Decoding the kernel takes as long as a
/// brief launch of it.
void set_constants(CodeProgram& program, const ExecutedLaunch& launch);

/// The parts of code_program(). An instruction without what slices decide; `pool` gets its numbers, and
/// places for constants.
[[nodiscard]] CodeStep code_step(const Listing& listing, std::size_t index, const ExecutedLaunch& launch,
                                 CodeProgram& pool);

/// The instructions that decide what is to be followed.
struct CodeSlice {
  std::vector<bool> needed;                            ///< whether it is executed
  std::vector<bool> values;                            ///< whether its results, or what it stores, are
  bool global = false, shared = false, local = false;  ///< whether what is loaded from there is needed
};
[[nodiscard]] CodeSlice slice_of(const LoadedKernel& kernel, const std::vector<CodeStep>& steps, Follow follow);

}  // namespace warpclock
