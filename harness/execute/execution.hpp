#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "execute/execute.hpp"
#include "execute/profile.hpp"

namespace warpclock {

/// An instruction in all executed blocks.
struct ExecutedInstruction {
  std::int64_t address = 0;
  std::string text;           ///< with its predicate, without operands of no interest
  std::string line;           ///< "gemm.cu:14"; empty if the cubin does not say
  std::int64_t executed = 0;  ///< warp instructions
  double lanes = 0;           ///< active ones of an execution, on average
  std::int64_t accesses = 0;  ///< executions in which a lane accesses memory; 0: it accesses none
  double access_lanes = 0;    ///< of an access, on average
  std::optional<double> sectors,
      wavefronts;  ///< of an access: of 32 bytes of global, turns of the banks of shared memory
};

struct ExecutedLoop {
  std::int64_t id = 0, begin = 0, end = 0;  ///< as `warpclock inspect` numbers them; addresses
  std::int64_t entries = 0;                 ///< by warps
  double trips = 0;                         ///< of an entry, on average
};

/// What executing a kernel on the CPU showed.
struct Execution {
  std::string file, kernel, readable, arch;
  std::vector<std::int64_t> grid, block;  ///< blocks and threads along x, y and z
  std::int64_t shared_bytes = 0;          ///< of a block, static and dynamic
  std::int64_t blocks = 0, executed_blocks = 0;
  bool same_path = false;  ///< whether neither the index of the block nor memory decides a jump: then all blocks have
                           ///< the executions of the executed ones
  std::int64_t warp_instructions = 0, copied_bytes = 0;  ///< copied by bulk copies from global memory
  std::vector<ExecutedLoop> loops;
  std::vector<ExecutedInstruction> instructions;
};

/// Executes blocks of a launch and counts. At most `most_blocks` of them, the first and the last one and others at
/// equal distances between. Errors of execute(), and "limit" if these are more than are ever executed.
[[nodiscard]] Expected<Execution> execution_of(const LoadedKernel& kernel, const ExecutedLaunch& launch,
                                               std::uint64_t most_blocks, const ExecuteLimits& limits = {});

[[nodiscard]] Sheet execution_sheet(const Execution& execution);
/// One JSON object; execution_schema() describes it.
[[nodiscard]] std::string to_json(const std::vector<Execution>& executions);
[[nodiscard]] std::string execution_schema();

}  // namespace warpclock
