#pragma once

#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_result.h>
#include <cupti_version.h>

#include <string>

/// The functions of the driver in use.
#define WARPCLOCK_INJECTED_DRIVER(X)                              \
  X(cuCtxGetCurrent, cuCtxGetCurrent)                             \
  X(cuDeviceGet, cuDeviceGet)                                     \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute)                   \
  X(cuDeviceGetName, cuDeviceGetName)                             \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId)                     \
  X(cuDeviceGetUuid, cuDeviceGetUuid_v2)                          \
  X(cuDriverGetVersion, cuDriverGetVersion)                       \
  X(cuFuncGetAttribute, cuFuncGetAttribute)                       \
  X(cuFuncGetModule, cuFuncGetModule)                             \
  X(cuFuncGetName, cuFuncGetName)                                 \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo)                       \
  X(cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph) \
  X(cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute) \
  X(cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2)    \
  X(cuGraphMemAllocNodeGetParams, cuGraphMemAllocNodeGetParams)   \
  X(cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams)       \
  X(cuGraphNodeGetType, cuGraphNodeGetType)                       \
  X(cuKernelGetFunction, cuKernelGetFunction)                     \
  X(cuMemGetAddressRange, cuMemGetAddressRange_v2)                \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                      \
  X(cuStreamIsCapturing, cuStreamIsCapturing)                     \
  X(cuStreamSynchronize, cuStreamSynchronize)

/// Those of CUPTI.
#define WARPCLOCK_INJECTED_CUPTI(X)    \
  X(cuptiActivityEnable)               \
  X(cuptiActivityFlushAll)             \
  X(cuptiActivityFlushPeriod)          \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiEnableCallback)               \
  X(cuptiGetDeviceId)                  \
  X(cuptiGetGraphExecId)               \
  X(cuptiGetGraphId)                   \
  X(cuptiGetGraphNodeId)               \
  X(cuptiGetResultString)              \
  X(cuptiGetVersion)                   \
  X(cuptiSubscribe)

namespace warpclock::injected {

// The library links neither: the driver is there where it is loaded, and a program may have loaded CUPTI itself.
// NOLINTBEGIN(bugprone-macro-parentheses): a declared name cannot be in parentheses.
struct DriverCalls {
#define WARPCLOCK_DECLARE(name, symbol) decltype(&::symbol) name = nullptr;
  WARPCLOCK_INJECTED_DRIVER(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};

struct CuptiCalls {
#define WARPCLOCK_DECLARE(name) decltype(&::name) name = nullptr;
  WARPCLOCK_INJECTED_CUPTI(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};
// NOLINTEND(bugprone-macro-parentheses)

/// Loaded by load_libraries().
[[nodiscard]] const DriverCalls& driver();
[[nodiscard]] const CuptiCalls& cupti();

/// The driver, and CUPTI: the one that the program has loaded, else that of `cupti_path`, else that which the loader
/// finds. Why there is none of them, or why it does not do; empty if both are loaded.
[[nodiscard]] std::string load_libraries(const char* cupti_path);

/// The SM clock of a device now, in MHz, by NVML; 0 if it does not say.
[[nodiscard]] unsigned sm_clock_mhz(int device);

}  // namespace warpclock::injected
