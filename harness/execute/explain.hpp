#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "base/error.hpp"
#include "execute/code_program.hpp"
#include "execute/executed_warp.hpp"
#include "execute/launch.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// "0x0240 BRA (gemm.cu:14)".
[[nodiscard]] std::string instruction_place(const LoadedKernel& kernel, std::size_t index);

/// Error "unknown": what nobody gave and what depends on it, and how to give it.
[[nodiscard]] Error unknown_error(const LoadedKernel& kernel, const ExecutedLaunch& launch, const CodeStep& step,
                                  Origin origin, const std::string& what);

/// An address that is in no buffer of the launch, and which buffer is the nearest before it.
[[nodiscard]] std::string outside_of_buffers(const ExecutedLaunch& launch, std::size_t lane, std::uint64_t address);

/// "2 at 0x0f20, 6 at 0x3d50": how many warps are at each of the first few places.
[[nodiscard]] std::string counted_places(const std::map<std::size_t, int>& at,
                                         const std::function<std::string(std::size_t)>& place);

/// Error "deadlock": where warps wait for each other.
[[nodiscard]] Error deadlock_error(const LoadedKernel& kernel, const CodeProgram& program,
                                   std::span<const ExecutedWarp> warps);

}  // namespace warpclock
