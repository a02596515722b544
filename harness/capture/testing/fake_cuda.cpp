// libcuda.so.1 and libcupti.so.13 of a GPU that does not exist, for programs that are captured in tests. Launches are
// calls of fake_launch(); a buffer of the device is memory of this library.
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t buffer_bytes = 4096;
alignas(256) std::array<char, buffer_bytes> buffer{};
/// The parameters of the kernel `pipeline` of harness/inspect/testdata/kernels.cubin.
struct ParameterAt {
  std::size_t at, bytes;
};
constexpr std::array<ParameterAt, 3> parameters = {{{0, 8}, {8, 8}, {16, 4}}};

CUpti_CallbackFunc callback = nullptr;
CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::vector<CUpti_ActivityKernel10> finished;
std::string cubin;
std::uint32_t correlation = 0;
const auto context = reinterpret_cast<CUcontext>(1);  // NOLINT(performance-no-int-to-ptr): a handle

const char* name_of(CUfunction function) { return reinterpret_cast<const char*>(function); }

CUresult call_driver(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const char* name, const void* arguments) {
  static CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.callbackSite = site, data.functionParams = arguments, data.functionReturnValue = &result;
  data.symbolName = name, data.context = context, data.correlationId = correlation;
  if (callback != nullptr) callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return result;
}

void load_module() {
  if (!cubin.empty()) return;
  std::ifstream file(std::getenv("FAKE_CUBIN"), std::ios::binary);
  cubin.assign(std::istreambuf_iterator<char>(file), {});
  CUpti_ModuleResourceData module{};
  module.cubinSize = cubin.size(), module.pCubin = cubin.data();
  CUpti_ResourceData data{};
  data.context = context, data.resourceDescriptor = &module;
  if (callback != nullptr) callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

}  // namespace

extern "C" {

/// What cuInit() does of it.
void fake_start() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))();
}

/// Launches `name` on the buffer, from `offset` on, with a number; it runs for `ns`.
void fake_launch(const char* name, std::size_t offset, int number, std::uint64_t ns) {
  auto first = reinterpret_cast<std::uint64_t>(buffer.data()) + offset;
  auto second = reinterpret_cast<std::uint64_t>(buffer.data());
  std::array<void*, 3> arguments = {&first, &second, &number};
  cuLaunchKernel_params call{};
  call.f = reinterpret_cast<CUfunction>(const_cast<char*>(name));
  call.gridDimX = 132, call.gridDimY = call.gridDimZ = 1, call.blockDimX = 32, call.blockDimY = call.blockDimZ = 1;
  call.kernelParams = arguments.data();
  ++correlation;
  call_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, name, &call);
  load_module();
  call_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, name, &call);
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, record.correlationId = correlation;
  record.start = 1000, record.end = 1000 + ns, record.name = name;
  finished.push_back(record);
  constexpr std::size_t many = 4096;
  if (finished.size() >= many) cuptiActivityFlushAll(0);
}

CUresult cuCtxGetCurrent(CUcontext* made) { return *made = context, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int number) { return *device = number, CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT   ? 132
           : which == CU_DEVICE_ATTRIBUTE_CLOCK_RATE             ? 1980000
                                                                 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  return std::strncpy(name, "no GPU", static_cast<std::size_t>(size)), CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char*, int, CUdevice) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice) { return *uuid = {}, CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) { return *value = 1, CUDA_SUCCESS; }
CUresult cuFuncGetModule(CUmodule*, CUfunction) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuFuncGetName(const char** name, CUfunction function) { return *name = name_of(function), CUDA_SUCCESS; }
CUresult cuFuncGetParamInfo(CUfunction, std::size_t number, std::size_t* at, std::size_t* bytes) {
  if (number >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  return *at = parameters[number].at, *bytes = parameters[number].bytes, CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuKernelGetFunction(CUfunction*, CUkernel) { return CUDA_ERROR_INVALID_VALUE; }
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  const auto begin = reinterpret_cast<std::uint64_t>(buffer.data());
  if (address < begin || address >= begin + buffer.size()) return CUDA_ERROR_INVALID_VALUE;
  return *base = begin, *bytes = buffer.size(), CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the buffer
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  return *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }

CUptiResult cuptiActivityEnable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  for (std::size_t next = 0; request != nullptr && next < finished.size();) {
    std::uint8_t* to = nullptr;
    std::size_t size = 0, most = 0;
    request(&to, &size, &most);
    const std::size_t count = std::min(size / sizeof finished[0], finished.size() - next);
    std::memcpy(to, &finished[next], count * sizeof finished[0]);
    next += count;
    complete(context, 0, to, size, count * sizeof finished[0]);
    if (count == 0) break;
  }
  finished.clear();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushPeriod(std::uint32_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t valid, CUpti_Activity** record) {
  auto* next = *record == nullptr ? from : reinterpret_cast<std::uint8_t*>(*record) + sizeof finished[0];
  if (next + sizeof finished[0] > from + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  return *dropped = 0, CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  return request = requested, complete = completed, CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetDeviceId(CUcontext, std::uint32_t* device) { return *device = 0, CUPTI_SUCCESS; }
CUptiResult cuptiGetGraphNodeId(CUgraphNode, std::uint64_t*) { return CUPTI_ERROR_INVALID_PARAMETER; }
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  return *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(std::uint32_t* version) { return *version = 130000, CUPTI_SUCCESS; }
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
  if (std::getenv("FAKE_BUSY") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  return callback = function, CUPTI_SUCCESS;
}
}
