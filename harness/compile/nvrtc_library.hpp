#pragma once

#include <nvrtc.h>

#include "base/error.hpp"

/// The functions of NVRTC in use.
#define WARPCLOCK_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                    \
  X(nvrtcGetNumSupportedArchs)       \
  X(nvrtcGetSupportedArchs)          \
  X(nvrtcGetErrorString)             \
  X(nvrtcCreateProgram)              \
  X(nvrtcCompileProgram)             \
  X(nvrtcDestroyProgram)             \
  X(nvrtcGetProgramLogSize)          \
  X(nvrtcGetProgramLog)              \
  X(nvrtcGetPTXSize)                 \
  X(nvrtcGetPTX)                     \
  X(nvrtcGetCUBINSize)               \
  X(nvrtcGetCUBIN)

namespace warpclock {

struct NvrtcLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses.
#define WARPCLOCK_DECLARE(name) decltype(&::name) name = nullptr;
  WARPCLOCK_NVRTC_FUNCTIONS(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
  /// Newer than the oldest supported toolkit. If it is null, only the hard limit applies.
  nvrtcResult (*nvrtcSetFlowCallback)(nvrtcProgram, int (*)(void*, void*), void*) = nullptr;
};

/// NVRTC, loaded at the first call. Error "toolkit" if there is none, or if it lacks a function.
[[nodiscard]] const Expected<NvrtcLibrary>& nvrtc_library();

}  // namespace warpclock
