// What the driver loads into a program through CUDA_INJECTION64_PATH, and calls when the program first uses CUDA.
#include <cupti.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/injection/functions.hpp"
#include "capture/injection/graph_calls.hpp"
#include "capture/injection/launches.hpp"
#include "capture/injection/libraries.hpp"
#include "capture/injection/spool.hpp"

namespace warpclock::injected {
namespace {

/// All that this process has. It is never destroyed: CUPTI's threads may work until the process is gone.
struct Process {
  explicit Process(std::uint64_t limit) : data_limit(limit) {}

  Spool spool;
  std::uint64_t data_limit;
  Functions functions{spool};
  Launches launches{spool, functions, data_limit};
  GraphCalls graphs{launches, functions};
  CUpti_SubscriberHandle subscriber = nullptr;
  std::mutex lock;
  std::set<std::uint32_t> devices;
};
Process* process = nullptr;
std::atomic<bool> left = false;  ///< this is a child of the process

/// What this thread is doing in the driver.
thread_local bool inside = false;    ///< calls of our own
thread_local bool in_graph = false;  ///< the launch became a node of a graph
thread_local Noted current;
thread_local LaunchCall current_call;

constexpr int buffer_bytes = 1 << 20, buffer_alignment = 8;

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *records = 0;
}

void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                               std::size_t valid) {
  std::vector<const CUpti_ActivityKernel10*> kernels;
  CUpti_Activity* record = nullptr;
  while (!left && valid > 0 && cupti().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      kernels.push_back(reinterpret_cast<const CUpti_ActivityKernel10*>(record));
  }
  const bool before = std::exchange(inside, true);
  if (!kernels.empty()) process->launches.timed(std::move(kernels), process->graphs.nodes());
  std::size_t dropped = 0;
  if (!left && cupti().cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0)
    process->spool.write(fmt::format("lost {}\n", dropped));
  inside = before;
  std::free(buffer);
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver().cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

/// Notes a device when it is first used.
std::uint32_t device_of(CUcontext context) {
  std::uint32_t number = 0;
  if (cupti().cuptiGetDeviceId(context, &number) != CUPTI_SUCCESS) return 0;
  {
    const std::lock_guard guard(process->lock);
    if (!process->devices.insert(number).second) return number;
  }
  CUdevice device = 0;
  CUuuid uuid{};
  std::array<char, 256> name{};
  if (driver().cuDeviceGet(&device, static_cast<int>(number)) != CUDA_SUCCESS ||
      driver().cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS ||
      driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device) != CUDA_SUCCESS)
    return number;
  process->spool.write(fmt::format("device {} {} {} {} {} {} {}\n", number, hex_of({uuid.bytes, sizeof uuid.bytes}),
                                   attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                   attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
                                   attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                                   attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE), hex_of(name.data())));
  return number;
}

int number_of(CUcontext context) { return static_cast<int>(device_of(context)); }

void read_attributes(const CUlaunchConfig& config, LaunchCall& call) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& one = config.attrs[i];
    if (one.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      call.cluster = {one.value.clusterDim.x, one.value.clusterDim.y, one.value.clusterDim.z};
    else if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      call.cooperative = one.value.cooperative != 0;
    else if (one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      call.overlaps = one.value.programmaticStreamSerializationAllowed != 0;
    else if (one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
      call.overlaps = true;
  }
}

bool is_launch(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

LaunchCall call_of(CUpti_CallbackId id, const void* parameters) {
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
    const auto* p = static_cast<const cuLaunchKernelEx_params*>(parameters);
    const CUlaunchConfig& c = *p->config;
    LaunchCall call{.function = p->f,
                    .grid = {c.gridDimX, c.gridDimY, c.gridDimZ},
                    .block = {c.blockDimX, c.blockDimY, c.blockDimZ},
                    .shared = c.sharedMemBytes,
                    .parameters = p->kernelParams,
                    .extra = p->extra,
                    .stream = c.hStream};
    read_attributes(c, call);
    return call;
  }
  // The parameters of a cooperative launch are the same but for `extra`, which it lacks.
  const bool cooperative = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
                           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
  const auto* p = static_cast<const cuLaunchKernel_params*>(parameters);
  return {.function = p->f,
          .grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
          .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
          .shared = p->sharedMemBytes,
          .cooperative = cooperative,
          .parameters = p->kernelParams,
          .extra = cooperative ? nullptr : p->extra,
          .stream = p->hStream};
}

void on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) {
    Functions::call_begins();
    in_graph = false;
    current_call = call_of(id, data.functionParams);
    current = process->launches.begin(current_call, number_of(data.context), true);
    if (current.launch >= 0) process->launches.expect(data.correlationId, current);
    return;
  }
  if (current.function != nullptr) process->functions.launched(*current.function, data.symbolName);
  const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
  if (in_graph || (result != nullptr && *result != CUDA_SUCCESS)) process->launches.unexpect(data.correlationId);
  current = {};
}

/// Calls that load the machine code of a library when a kernel of it is first used, and the CUkernel or CUfunction that
/// they are about.
struct KernelCall {
  CUpti_CallbackId id;
  CUfunction (*handle)(const void* parameters);
};
template <class Parameters>
CUfunction kernel_in(const void* parameters) {
  return reinterpret_cast<CUfunction>(static_cast<const Parameters*>(parameters)->kernel);
}
template <class Parameters>
CUfunction function_in(const void* parameters) {
  return static_cast<const Parameters*>(parameters)->hfunc;
}
constexpr std::array<KernelCall, 5> kernel_calls = {{
    {CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction, kernel_in<cuKernelGetFunction_params>},
    {CUPTI_DRIVER_TRACE_CBID_cuKernelGetAttribute, kernel_in<cuKernelGetAttribute_params>},
    {CUPTI_DRIVER_TRACE_CBID_cuKernelSetAttribute, kernel_in<cuKernelSetAttribute_params>},
    {CUPTI_DRIVER_TRACE_CBID_cuFuncGetAttribute, function_in<cuFuncGetAttribute_params>},
    {CUPTI_DRIVER_TRACE_CBID_cuFuncSetAttribute, function_in<cuFuncSetAttribute_params>},
}};

/// Which module the machine code is of that was loaded in this call.
void on_module(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER) return Functions::call_begins();
  for (const KernelCall& one : kernel_calls)
    if (one.id == id) return process->functions.kernel_is(one.handle(data.functionParams));
  CUmodule module = nullptr;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction)
    module = static_cast<const cuModuleGetFunction_params*>(data.functionParams)->hmod;
  else if (const auto* p = static_cast<const cuModuleLoadData_params*>(data.functionParams); p->module != nullptr)
    module = *p->module;
  if (module != nullptr) process->functions.module_is(module);
}

void on_update(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_EXIT) process->graphs.updated(id, data.functionParams, number_of(data.context));
}

void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto* const module = static_cast<const CUpti_ModuleResourceData*>(data.resourceDescriptor);
    if (module != nullptr && module->pCubin != nullptr) process->functions.loaded({module->pCubin, module->cubinSize});
  } else if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
    process->functions.forget();
  } else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
    const auto* const graph = static_cast<const CUpti_GraphData*>(data.resourceDescriptor);
    if (graph == nullptr) return;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return process->graphs.cloned(*graph, number_of(data.context));
    in_graph = true;
    process->graphs.made(graph->node, current_call, current);
  } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  // Machine code may be loaded by a call of our own.
  const bool ours = inside && !(domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED);
  if (ours || left || data == nullptr) return;
  const bool before = std::exchange(inside, true);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    on_resource(id, *static_cast<const CUpti_ResourceData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && is_launch(id))
    on_launch(id, *static_cast<const CUpti_CallbackData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && GraphCalls::is_update(id))
    on_update(id, *static_cast<const CUpti_CallbackData*>(data));
  else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    on_module(id, *static_cast<const CUpti_CallbackData*>(data));
  inside = before;
}

void at_end() {
  if (left) return;
  cupti().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  process->spool.write("end\n");
}

void end_early() {
  if (process == nullptr) return;
  at_end();
  left = true;
}

void in_child() {
  left = true;
  process->spool.leave();
}

/// What is wrong, as CUPTI says it; empty if nothing is.
std::string begin() {
  constexpr std::uint32_t flush_ms = 200;
  CUptiResult result = cupti().cuptiSubscribe(&process->subscriber, on_callback, nullptr);
  const auto then = [&](auto&& next) {
    if (result == CUPTI_SUCCESS) result = next();
  };
  for (const CUpti_CallbackId id : {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
                                    CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                                    CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING})
    then([&] { return cupti().cuptiEnableCallback(1, process->subscriber, CUPTI_CB_DOMAIN_RESOURCE, id); });
  for (const CUpti_CallbackId id :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
        CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2,
        CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams, CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2})
    then([&] { return cupti().cuptiEnableCallback(1, process->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id); });
  for (const KernelCall& one : kernel_calls)
    then([&] { return cupti().cuptiEnableCallback(1, process->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, one.id); });
  then([&] { return cupti().cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed); });
  then([&] { return cupti().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); });
  then([&] { return cupti().cuptiActivityFlushPeriod(flush_ms); });
  if (result == CUPTI_SUCCESS) return {};
  const char* words = nullptr;
  cupti().cuptiGetResultString(result, &words);
  return fmt::format("CUPTI: {}", words == nullptr ? "unknown error" : words);
}

}  // namespace

int initialize() {
  const char* const folder = std::getenv("WARPCLOCK_CAPTURE_FOLDER");
  const char* const limit = std::getenv("WARPCLOCK_CAPTURE_DATA");
  if (folder == nullptr || process != nullptr) return 0;
  process = new Process(limit == nullptr ? 0 : std::strtoull(limit, nullptr, 10));
  if (!process->spool.open(folder)) return 0;
  std::string wrong = load_libraries(std::getenv("WARPCLOCK_CAPTURE_CUPTI"));
  if (wrong.empty()) wrong = begin();
  if (!wrong.empty()) {
    process->spool.write(fmt::format("wrong {}\n", hex_of(wrong)));
    return 0;
  }
  std::uint32_t version = 0;
  int of_driver = 0;
  cupti().cuptiGetVersion(&version);
  driver().cuDriverGetVersion(&of_driver);
  process->spool.write(fmt::format("process {} {} {} {}\n", getpid(), getppid(), version, of_driver));
  pthread_atfork(nullptr, nullptr, in_child);
  std::atexit(at_end);
  return 1;
}

}  // namespace warpclock::injected

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() { return warpclock::injected::initialize(); }

/// For a program that captures a part of itself: writes what was seen, and what comes later is not.
__attribute__((visibility("default"))) void warpclock_end_capture() { warpclock::injected::end_early(); }
}
