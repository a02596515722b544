#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device/driver.hpp"
#include "gpu/job/job.hpp"
#include "gpu/launch/clock.hpp"

namespace warpclock {

/// A driver for tests: device memory is host memory, and a launch calls a function of the test. Only one may exist at a
/// time.
class FakeGpu {
 public:
  struct Launch {
    std::string kernel;
    unsigned blocks, threads, cluster, shared_bytes;
    DeviceArgs args;
    CUstream stream = nullptr;
    bool cooperative = false, dependent = false;
    CUaccessPolicyWindow policy{};
    int carveout = 0;  ///< the last carve-out set for its function
  };

  FakeGpu() { current() = this; }
  ~FakeGpu() { current() = nullptr; }
  FakeGpu(const FakeGpu&) = delete;
  FakeGpu& operator=(const FakeGpu&) = delete;

  /// A launch with arguments of its own, or of the empty kernel.
  struct CallLaunch {
    std::string kernel;
    std::vector<unsigned> grid, block;
    unsigned shared_bytes = 0;
    std::vector<unsigned char> arguments;
  };

  std::function<CUresult(const CallLaunch&)> on_call = [](const CallLaunch&) { return CUDA_SUCCESS; };
  std::vector<CallLaunch> calls;
  int events = 0;       ///< that exist
  double now_ms = 0.0;  ///< of the next event; each kernel takes `call_ms`
  double call_ms = 0.25, empty_ms = 0.002;
  std::map<CUevent, double> event_times;
  std::function<CUresult(const Launch&)> on_launch = [](const Launch&) { return CUDA_SUCCESS; };
  std::vector<Launch> launches;               ///< launches of probe kernels
  std::vector<std::size_t> sweeps;            ///< words of each memset above one mebibyte
  std::vector<std::size_t> read_back;         ///< bytes of each copy to the host
  std::vector<std::string> loaded, unloaded;  ///< module images
  std::map<int, int> function_attributes;     ///< the last values set
  std::map<CUfunction, int> carveouts;        ///< the last value set for each function
  std::map<CUlimit, std::size_t> limits;      ///< the last values set
  std::size_t allocated = 0, most_memory = 1ULL << 30;
  std::string jit_log;  ///< if not empty, what the driver's compiler says as it refuses
  int clock_launches = 0, resets = 0, memsets = 0;
  CUresult persistence = CUDA_SUCCESS;  ///< the result of releasing persisting lines
  double sm_mhz = 1500;
  double timer_ratio = 1;                     ///< what %globaltimer makes of a second of the host
  std::chrono::microseconds others_slice{0};  ///< how long a clock kernel waits for another process
  std::uint64_t pause_ns = 32;                ///< the longest step of the timer within a clock kernel
  bool compiles_ptx = true;
  int devices = 1;
  bool reachable = true;                     ///< whether the devices reach each other
  std::vector<CUcontext> allocated_in;       ///< the context that was current at each allocation
  int seen_sms = 4;                          ///< on which a kernel that notes %smid sees itself
  int green = 0;                             ///< green contexts that exist
  int graphs = 0;                            ///< number of graphs launched
  CUresult tensor_map = CUDA_SUCCESS;        ///< the result of encoding a tensor map
  std::vector<std::uint64_t> dims, strides;  ///< of the last tensor map
  std::size_t texture_bytes = 0;             ///< of the texture that currently exists
  CUresult broken = CUDA_SUCCESS;            ///< the result of every synchronising call from now on

  static Driver driver();

 private:
  struct Module {
    std::string image;
    std::map<std::string, std::unique_ptr<std::string>> kernels;
  };
  static FakeGpu*& current() {
    static FakeGpu* gpu = nullptr;
    return gpu;
  }
  static int attribute(CUdevice_attribute which);

  CUcontext current_context_ = nullptr;
  std::map<CUdeviceptr, std::size_t> sizes_;
  std::map<Module*, std::unique_ptr<Module>> modules_;
};

inline int FakeGpu::attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 4;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 232448;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      return 1;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
      return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
      return 1 << 19;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return 1980000;
    default:
      return 0;
  }
}

inline Driver FakeGpu::driver() {
  Driver d;
  d.cuInit = [](unsigned) { return CUDA_SUCCESS; };
  d.cuDriverGetVersion = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
  d.cuGetErrorName = [](CUresult, const char** name) { return *name = "CUDA_ERROR_FAKE", CUDA_SUCCESS; };
  d.cuGetErrorString = [](CUresult, const char** text) { return *text = "a fake error", CUDA_SUCCESS; };
  d.cuDeviceGetCount = [](int* count) { return *count = current()->devices, CUDA_SUCCESS; };
  d.cuDeviceGet = [](CUdevice* device, int index) { return *device = index, CUDA_SUCCESS; };
  d.cuDeviceCanAccessPeer = [](int* can, CUdevice, CUdevice) { return *can = current()->reachable, CUDA_SUCCESS; };
  d.cuDeviceGetP2PAttribute = [](int* value, CUdevice_P2PAttribute which, CUdevice, CUdevice) {
    return *value = current()->reachable && which != CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, CUDA_SUCCESS;
  };
  d.cuCtxEnablePeerAccess = [](CUcontext, unsigned) { return CUDA_SUCCESS; };
  d.cuCtxGetCurrent = [](CUcontext* context) { return *context = current()->current_context_, CUDA_SUCCESS; };
  d.cuDeviceGetName = [](char* name, int size, CUdevice) {
    return std::strncpy(name, "NVIDIA Fake 9000", static_cast<std::size_t>(size)), CUDA_SUCCESS;
  };
  d.cuDeviceGetAttribute = [](int* value, CUdevice_attribute which, CUdevice) {
    return *value = attribute(which), CUDA_SUCCESS;
  };
  d.cuDeviceGetPCIBusId = [](char*, int, CUdevice) { return CUDA_ERROR_INVALID_VALUE; };
  d.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) { return *bytes = 1ULL << 30, CUDA_SUCCESS; };
  d.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice device) {
    return *context = reinterpret_cast<CUcontext>(0x1000 + static_cast<std::uintptr_t>(device)), CUDA_SUCCESS;
  };
  d.cuDevicePrimaryCtxRelease = [](CUdevice) { return CUDA_SUCCESS; };
  d.cuCtxSetCurrent = [](CUcontext context) { return current()->current_context_ = context, CUDA_SUCCESS; };
  d.cuDeviceGetDevResource = [](CUdevice, CUdevResource* all, CUdevResourceType type) {
    all->type = type;
    return all->sm.smCount = 4, CUDA_SUCCESS;
  };
  d.cuDevSmResourceSplitByCount = [](CUdevResource* part, unsigned*, const CUdevResource* all, CUdevResource*, unsigned,
                                     unsigned least) { return *part = *all, part->sm.smCount = least, CUDA_SUCCESS; };
  d.cuDevResourceGenerateDesc = [](CUdevResourceDesc*, CUdevResource* part, unsigned) {
    return current()->seen_sms = static_cast<int>(part->sm.smCount), CUDA_SUCCESS;
  };
  d.cuGreenCtxCreate = [](CUgreenCtx* green, CUdevResourceDesc, CUdevice, unsigned) {
    return *green = reinterpret_cast<CUgreenCtx>(++current()->green + 0x6000L), CUDA_SUCCESS;
  };
  d.cuGreenCtxDestroy = [](CUgreenCtx) { return --current()->green, CUDA_SUCCESS; };
  d.cuCtxFromGreenCtx = [](CUcontext* context, CUgreenCtx green) {
    return *context = reinterpret_cast<CUcontext>(green), CUDA_SUCCESS;
  };
  d.cuModuleLoadData = [](CUmodule* module, const void* image) {
    const std::string text = static_cast<const char*>(image);
    if (text.find(".version") != std::string::npos && !current()->compiles_ptx)
      return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    auto made = std::make_unique<Module>();
    made->image = text;
    *module = reinterpret_cast<CUmodule>(made.get());
    current()->loaded.push_back(text);
    current()->modules_[made.get()] = std::move(made);
    return CUDA_SUCCESS;
  };
  d.cuModuleLoadDataEx = [](CUmodule* module, const void* image, unsigned, CUjit_option*, void** values) {
    if (current()->jit_log.empty()) return current()->driver().cuModuleLoadData(module, image);
    std::strncpy(static_cast<char*>(values[0]), current()->jit_log.c_str(), reinterpret_cast<std::size_t>(values[1]));
    return CUDA_ERROR_INVALID_PTX;
  };
  d.cuModuleUnload = [](CUmodule module) {
    const auto found = current()->modules_.find(reinterpret_cast<Module*>(module));
    if (found == current()->modules_.end()) return CUDA_ERROR_INVALID_HANDLE;
    current()->unloaded.push_back(found->second->image);
    current()->modules_.erase(found);
    return CUDA_SUCCESS;
  };
  d.cuModuleGetFunction = [](CUfunction* function, CUmodule module, const char* name) {
    if (std::string(name) == "missing") return CUDA_ERROR_NOT_FOUND;
    auto& kernel = reinterpret_cast<Module*>(module)->kernels[name];
    if (!kernel) kernel = std::make_unique<std::string>(name);
    *function = reinterpret_cast<CUfunction>(kernel.get());
    return CUDA_SUCCESS;
  };
  d.cuFuncGetAttribute = [](int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
  };
  d.cuFuncSetAttribute = [](CUfunction function, CUfunction_attribute which, int value) {
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) current()->carveouts[function] = value;
    return current()->function_attributes[which] = value, CUDA_SUCCESS;
  };
  d.cuLaunchKernelEx = [](const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
    FakeGpu& gpu = *current();
    const std::string& name = *reinterpret_cast<std::string*>(function);
    if (parameters == nullptr) {
      CallLaunch call{name,
                      {config->gridDimX, config->gridDimY, config->gridDimZ},
                      {config->blockDimX, config->blockDimY, config->blockDimZ},
                      config->sharedMemBytes,
                      {}};
      if (extra != nullptr) {
        const auto* bytes = static_cast<unsigned char*>(extra[1]);
        call.arguments.assign(bytes, bytes + *static_cast<std::size_t*>(extra[3]));
      }
      gpu.now_ms += name == "warpclock_empty" ? gpu.empty_ms : gpu.call_ms;
      gpu.calls.push_back(call);
      return gpu.on_call(call);
    }
    if (name == "warpclock_clock") {
      const std::uint64_t ns = 150'000;
      const auto now = static_cast<std::uint64_t>(static_cast<double>(host_ns()) * gpu.timer_ratio);
      const std::uint64_t ticks[5] = {1000, now,
                                      1000 + static_cast<std::uint64_t>(static_cast<double>(ns) * gpu.sm_mhz / 1e3),
                                      now + ns, gpu.pause_ns};
      std::memcpy(reinterpret_cast<void*>(*static_cast<CUdeviceptr*>(parameters[0])), ticks, sizeof ticks);
      if (*static_cast<std::uint64_t*>(parameters[1]) == ns) ++gpu.clock_launches;
      std::this_thread::sleep_for(gpu.others_slice);
      return CUDA_SUCCESS;
    }
    if (name == "warpclock_sms") {
      auto* seen = reinterpret_cast<std::uint32_t*>(*static_cast<CUdeviceptr*>(parameters[0]));
      for (int i = 0; i < gpu.seen_sms; ++i) seen[2 * i] = 1;
      return CUDA_SUCCESS;
    }
    Launch launch{name, config->gridDimX,       config->blockDimX,
                  1,    config->sharedMemBytes, *static_cast<DeviceArgs*>(parameters[0])};
    launch.stream = config->hStream;
    launch.carveout = gpu.carveouts[function];
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttribute& attribute = config->attrs[i];
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) launch.cluster = attribute.value.clusterDim.x;
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) launch.policy = attribute.value.accessPolicyWindow;
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.cooperative = attribute.value.cooperative != 0;
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION) {
        launch.dependent = attribute.value.programmaticStreamSerializationAllowed != 0;
      }
    }
    gpu.launches.push_back(launch);
    return gpu.on_launch(launch);
  };
  d.cuMemGetAllocationGranularity = [](std::size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) { return *bytes = 2 << 20, CUDA_SUCCESS; };
  d.cuMemAlloc = [](CUdeviceptr* address, std::size_t bytes) {
    FakeGpu& gpu = *current();
    if (gpu.allocated + bytes > gpu.most_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reinterpret_cast<CUdeviceptr>(new unsigned char[bytes]());
    gpu.sizes_[*address] = bytes;
    gpu.allocated += bytes;
    gpu.allocated_in.push_back(gpu.current_context_);
    return CUDA_SUCCESS;
  };
  d.cuMemFree = [](CUdeviceptr address) {
    FakeGpu& gpu = *current();
    if (!gpu.sizes_.contains(address)) return CUDA_ERROR_INVALID_VALUE;
    gpu.allocated -= gpu.sizes_[address];
    gpu.sizes_.erase(address);
    delete[] reinterpret_cast<unsigned char*>(address);
    return CUDA_SUCCESS;
  };
  d.cuMemcpyHtoD = [](CUdeviceptr to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return current()->broken;
  };
  d.cuMemcpyDtoH = [](void* to, CUdeviceptr from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    current()->read_back.push_back(bytes);
    return current()->broken;
  };
  d.cuMemcpyDtoDAsync = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
  };
  d.cuMemsetD32Async = [](CUdeviceptr to, unsigned value, std::size_t words, CUstream) {
    for (std::size_t i = 0; i < words; ++i) reinterpret_cast<std::uint32_t*>(to)[i] = value;
    ++current()->memsets;
    if (words * 4 > 1 << 20) current()->sweeps.push_back(words);
    return CUDA_SUCCESS;
  };
  d.cuCtxSetLimit = [](CUlimit limit, std::size_t bytes) { return current()->limits[limit] = bytes, CUDA_SUCCESS; };
  d.cuCtxResetPersistingL2Cache = [] { return ++current()->resets, current()->persistence; };
  d.cuStreamSynchronize = [](CUstream) { return current()->broken; };
  d.cuEventCreate = [](CUevent* event, unsigned) {
    return *event = reinterpret_cast<CUevent>(static_cast<std::uintptr_t>(0x5000 + ++current()->events)), CUDA_SUCCESS;
  };
  d.cuEventDestroy = [](CUevent) { return --current()->events, CUDA_SUCCESS; };
  d.cuEventRecord = [](CUevent event, CUstream) {
    return current()->event_times[event] = current()->now_ms, CUDA_SUCCESS;
  };
  d.cuEventElapsedTime = [](float* ms, CUevent from, CUevent to) {
    const auto& times = current()->event_times;
    return *ms = static_cast<float>(times.at(to) - times.at(from)), current()->broken;
  };
  d.cuStreamCreate = [](CUstream* stream, unsigned) {
    return *stream = reinterpret_cast<CUstream>(0x2000), CUDA_SUCCESS;
  };
  d.cuStreamDestroy = [](CUstream) { return CUDA_SUCCESS; };
  d.cuStreamBeginCapture = [](CUstream, CUstreamCaptureMode) { return CUDA_SUCCESS; };
  d.cuStreamEndCapture = [](CUstream, CUgraph* graph) {
    return *graph = reinterpret_cast<CUgraph>(0x3000), CUDA_SUCCESS;
  };
  d.cuGraphInstantiate = [](CUgraphExec* ready, CUgraph, unsigned long long) {
    return *ready = reinterpret_cast<CUgraphExec>(0x4000), CUDA_SUCCESS;
  };
  d.cuGraphLaunch = [](CUgraphExec, CUstream) { return ++current()->graphs, CUDA_SUCCESS; };
  d.cuGraphExecDestroy = [](CUgraphExec) { return CUDA_SUCCESS; };
  d.cuGraphDestroy = [](CUgraph) { return CUDA_SUCCESS; };
  d.cuTensorMapEncodeTiled = [](CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void*,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    FakeGpu& gpu = *current();
    gpu.dims.assign(dims, dims + rank);
    gpu.strides.assign(strides, strides + rank - 1);
    map->opaque[0] = static_cast<cuuint64_t>(type);
    map->opaque[1] = box[0];
    map->opaque[2] = static_cast<cuuint64_t>(swizzle);
    return gpu.tensor_map;
  };
  d.cuTensorMapEncodeIm2col = [](CUtensorMap* map, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const int* lower, const int* upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
    map->opaque[0] = static_cast<cuuint64_t>(upper[0] - lower[0]);
    map->opaque[1] = channels;
    map->opaque[2] = pixels;
    return current()->tensor_map;
  };
  d.cuTexObjectCreate = [](CUtexObject* texture, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*) {
    current()->texture_bytes = resource->res.linear.sizeInBytes;
    return *texture = 77, CUDA_SUCCESS;
  };
  d.cuTexObjectDestroy = [](CUtexObject) { return current()->texture_bytes = 0, CUDA_SUCCESS; };
  return d;
}

}  // namespace warpclock
