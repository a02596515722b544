#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "gpu/job/call.hpp"

/// The driver functions in use. cuda.h maps some of these names to a versioned one (cuMemAlloc is cuMemAlloc_v2) by
/// macro. This also applies in this list, so that declaration, look-up and call always mean the same symbol.
#define WARPCLOCK_DRIVER_FUNCTIONS(X) \
  X(cuInit)                           \
  X(cuDriverGetVersion)               \
  X(cuGetErrorName)                   \
  X(cuGetErrorString)                 \
  X(cuDeviceGet)                      \
  X(cuDeviceGetCount)                 \
  X(cuDeviceGetName)                  \
  X(cuDeviceGetAttribute)             \
  X(cuDeviceGetPCIBusId)              \
  X(cuDeviceTotalMem)                 \
  X(cuDevicePrimaryCtxRetain)         \
  X(cuDevicePrimaryCtxRelease)        \
  X(cuCtxSetCurrent)                  \
  X(cuCtxGetCurrent)                  \
  X(cuCtxResetPersistingL2Cache)      \
  X(cuCtxSetLimit)                    \
  X(cuModuleLoadData)                 \
  X(cuModuleLoadDataEx)               \
  X(cuModuleUnload)                   \
  X(cuModuleGetFunction)              \
  X(cuFuncGetAttribute)               \
  X(cuFuncSetAttribute)               \
  X(cuLaunchKernelEx)                 \
  X(cuMemAlloc)                       \
  X(cuMemGetAllocationGranularity)    \
  X(cuMemFree)                        \
  X(cuMemcpyHtoD)                     \
  X(cuMemcpyDtoH)                     \
  X(cuMemcpyDtoDAsync)                \
  X(cuMemsetD32Async)                 \
  X(cuStreamSynchronize)              \
  X(cuStreamCreate)                   \
  X(cuStreamDestroy)                  \
  X(cuStreamBeginCapture)             \
  X(cuStreamEndCapture)               \
  X(cuGraphInstantiate)               \
  X(cuGraphLaunch)                    \
  X(cuGraphExecDestroy)               \
  X(cuGraphDestroy)                   \
  X(cuEventCreate)                    \
  X(cuEventDestroy)                   \
  X(cuEventRecord)                    \
  X(cuEventElapsedTime)               \
  X(cuTensorMapEncodeTiled)           \
  X(cuTensorMapEncodeIm2col)          \
  X(cuTexObjectCreate)                \
  X(cuTexObjectDestroy)               \
  X(cuDeviceCanAccessPeer)            \
  X(cuDeviceGetP2PAttribute)          \
  X(cuCtxEnablePeerAccess)

/// Those of green contexts, which drivers before CUDA 12.4 lack.
#define WARPCLOCK_GREEN_FUNCTIONS(X) \
  X(cuDeviceGetDevResource)          \
  X(cuDevSmResourceSplitByCount)     \
  X(cuDevResourceGenerateDesc)       \
  X(cuGreenCtxCreate)                \
  X(cuGreenCtxDestroy)               \
  X(cuCtxFromGreenCtx)

namespace warpclock {

/// libcuda's entry points. A plain table, so that tests can replace them by their own functions.
struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot be in parentheses.
#define WARPCLOCK_DECLARE(name) decltype(&::name) name = nullptr;
  WARPCLOCK_DRIVER_FUNCTIONS(WARPCLOCK_DECLARE)
  WARPCLOCK_GREEN_FUNCTIONS(WARPCLOCK_DECLARE)
#undef WARPCLOCK_DECLARE
};

/// Loads libcuda at run time, so that the program also starts on a machine without it. The library stays loaded. Error
/// "no-driver" if it is missing or lacks a function.
[[nodiscard]] Expected<Driver> load_driver(const std::string& library = "libcuda.so.1");

/// Error "fault" for a sticky result, "memory" if the device has no room (a launch may need local memory), and "cuda"
/// for any other. The text holds the result's name, its description and what was being done.
[[nodiscard]] Expected<void> check(const Driver& driver, CUresult result, std::string_view doing);

/// Makes an error a "fault" if no call that waits succeeds any more: drivers have errors of which this program has not
/// heard.
void tell_fault(const Driver& driver, Error& error);

/// A launch of so many blocks of so many threads, with this much dynamic shared memory.
[[nodiscard]] inline CUlaunchConfig launch_config(const std::array<unsigned, 3>& grid,
                                                  const std::array<unsigned, 3>& block, unsigned shared_bytes = 0) {
  CUlaunchConfig config{};
  config.gridDimX = grid[0], config.gridDimY = grid[1], config.gridDimZ = grid[2];
  config.blockDimX = block[0], config.blockDimY = block[1], config.blockDimZ = block[2];
  config.sharedMemBytes = shared_bytes;
  return config;
}

/// 0 if the driver does not know the attribute.
[[nodiscard]] int device_attribute(const Driver& driver, CUdevice device, CUdevice_attribute which);

/// Loaded cubins by path. If there are too many, the least recently used one is unloaded.
class ModuleCache {
 public:
  explicit ModuleCache(const Driver& driver, std::size_t capacity = 32) : driver_(driver), capacity_(capacity) {}
  ModuleCache(const ModuleCache&) = delete;
  ModuleCache& operator=(const ModuleCache&) = delete;
  ~ModuleCache();

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

  /// The kernel stays valid until `capacity` other files were requested. The file may hold a cubin or PTX. Errors:
  /// "io", "cuda" (not for this device, no such symbol), "fault".
  [[nodiscard]] Expected<CUfunction> function(const std::string& path, const std::string& symbol);

  /// Unloads the module of the file if it is loaded. Error "fault".
  [[nodiscard]] Expected<void> unload(const std::string& path);

 private:
  struct Entry {
    std::string path;
    CUmodule module = nullptr;
    std::map<std::string, CUfunction> functions;
  };

  [[nodiscard]] Expected<Entry*> entry(const std::string& path);

  const Driver& driver_;
  std::size_t capacity_;
  std::list<Entry> entries_;  // the most recently used first
};

/// The functions of cuBLAS in use, with the types of cublas_api.h: a pointer for a handle, int for an enumeration. The
/// parts of a toolkit that this program is built with do not include that header. Tests replace them by their own.
struct Cublas {
  int (*cublasCreate_v2)(void** handle) = nullptr;
  int (*cublasDestroy_v2)(void* handle) = nullptr;
  int (*cublasGetProperty)(int type, int* value) = nullptr;
  const char* (*cublasGetStatusString)(int status) = nullptr;
  int (*cublasGemmEx)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                      int type_a, int lda, const void* b, int type_b, int ldb, const void* beta, void* c, int type_c,
                      int ldc, int compute, int algorithm) = nullptr;
};

/// cuBLAS, loaded at run time. Error "toolkit" if there is none, or if it lacks a function.
[[nodiscard]] Expected<Cublas> load_cublas();
using LoadCublas = std::function<Expected<Cublas>()>;

/// A handle of cuBLAS for the current context; it uses the default stream.
class CublasHandle {
 public:
  /// Error "library" with the status that cuBLAS gives.
  [[nodiscard]] static Expected<CublasHandle> open(const Cublas& cublas);

  [[nodiscard]] Expected<std::string> version() const;  ///< "13.1.0". Error "library".

  /// Puts C = A B^T into the stream and does not wait. Error "library".
  [[nodiscard]] Expected<void> multiply(const LibraryGemm& size, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const;

 private:
  CublasHandle(const Cublas& cublas, void* handle) : cublas_(cublas), handle_(handle, cublas.cublasDestroy_v2) {}
  [[nodiscard]] Expected<void> check(int status, const char* doing) const;

  Cublas cublas_;
  std::unique_ptr<void, int (*)(void*)> handle_;
};

}  // namespace warpclock
