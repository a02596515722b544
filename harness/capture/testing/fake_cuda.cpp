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
#include <map>
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
std::map<const void*, std::size_t> in_library;        ///< the module of a kernel
bool capturing = false;                               ///< launches become nodes of a graph
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

void load_module(const char* variable = "FAKE_CUBIN") {
  std::ifstream file(std::getenv(variable), std::ios::binary);
  cubin.assign(std::istreambuf_iterator<char>(file), {});
  CUpti_ModuleResourceData module{};
  module.cubinSize = cubin.size(), module.pCubin = cubin.data();
  CUpti_ResourceData data{};
  data.context = context, data.resourceDescriptor = &module;
  if (callback != nullptr) callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

/// A node of a graph; its handle is its number, and so is that of a graph.
struct Node {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  const char* name = nullptr;  ///< of its kernel
  bool is_clone = false;
  std::uint32_t child = 0;
};
std::map<std::uint64_t, Node> nodes;
std::uint64_t graph_memory = 0x302000000;  ///< that a node allocates
constexpr std::size_t graph_bytes = 4096;

template <class Handle>
Handle handle_of(std::uint64_t number) {
  return reinterpret_cast<Handle>(number);  // NOLINT(performance-no-int-to-ptr): a handle
}
std::uint64_t number_of(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

void call_node(CUpti_CallbackId id, std::uint64_t node, std::uint64_t from = 0) {
  CUpti_GraphData graph{};
  graph.node = handle_of<CUgraphNode>(node), graph.originalNode = handle_of<CUgraphNode>(from);
  CUpti_ResourceData data{};
  data.context = context, data.resourceDescriptor = &graph;
  if (callback != nullptr) callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}
void make(std::uint64_t node, const Node& what) {
  nodes[node] = what;
  call_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, node);
}
/// CUPTI tells of most clones twice.
void clone(std::uint64_t from, std::uint64_t to, std::uint32_t child = 0) {
  Node made = nodes[from];
  if (child != 0) made.child = child;
  make(to, made);
  nodes[to].is_clone = true;
  call_node(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, to, from);
}

void finish(const char* name, std::uint64_t node, unsigned blocks, std::uint64_t ns) {
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, record.correlationId = correlation;
  record.graphNodeId = node, record.gridX = static_cast<int>(blocks), record.gridY = record.gridZ = 1;
  record.blockX = 32, record.blockY = record.blockZ = 1;
  record.start = 1000, record.end = 1000 + ns, record.name = name;
  finished.push_back(record);
}

/// Launches `name`, or makes it the node of a graph.
void launch(const char* name, std::uint64_t first, int number, std::uint64_t node) {
  auto second = reinterpret_cast<std::uint64_t>(buffer.data());
  std::array<void*, 3> arguments = {&first, &second, &number};
  cuLaunchKernel_params call{};
  call.f = reinterpret_cast<CUfunction>(const_cast<char*>(name));
  call.gridDimX = 132, call.gridDimY = call.gridDimZ = 1, call.blockDimX = 32, call.blockDimY = call.blockDimZ = 1;
  call.kernelParams = arguments.data();
  ++correlation;
  capturing = node != 0;
  call_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, name, &call);
  if (cubin.empty()) load_module();
  if (capturing) make(node, {.name = name});
  call_driver(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, name, &call);
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
  launch(name, reinterpret_cast<std::uint64_t>(buffer.data()) + offset, number, 0);
  finish(name, 0, 132, ns);
  constexpr std::size_t many = 4096;
  if (finished.size() >= many) cuptiActivityFlushAll(0);
}

/// Loads two libraries whose kernels have one name, each when an attribute of its kernel is set, and launches the
/// kernel of the second.
void fake_libraries(const char* name) {
  static std::array<std::string, 2> names;
  names = {name, name};
  for (std::size_t i = 0; i < names.size(); ++i) {
    cuKernelSetAttribute_params call{};
    call.kernel = reinterpret_cast<CUkernel>(names[i].data());
    in_library[call.kernel] = i + 1;
    call_driver(CUPTI_DRIVER_TRACE_CBID_cuKernelSetAttribute, CUPTI_API_ENTER, nullptr, &call);
    load_module(i == 0 ? "FAKE_CUBIN" : "FAKE_OTHER_CUBIN");
    call_driver(CUPTI_DRIVER_TRACE_CBID_cuKernelSetAttribute, CUPTI_API_EXIT, nullptr, &call);
  }
  fake_launch(names[1].c_str(), 512, 65, 2000);
}

/// What a driver 580 and CUPTI 13.0 told of a graph on an H200: two kernels are captured, with memory that the graph
/// allocates and sets to 0. The graph is the child of another one, which has a kernel with clusters itself. It is
/// instantiated and launched: the nodes of the child then have numbers after those of the graph.
void fake_graph(const char* name) {
  const auto id = [](std::uint64_t graph, std::uint64_t node) { return graph << 32U | node; };
  make(id(4, 0), {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC});
  make(id(4, 1), {.type = CU_GRAPH_NODE_TYPE_MEMSET});
  launch(name, graph_memory + 256, 65, id(4, 2));
  launch(name, reinterpret_cast<std::uint64_t>(buffer.data()) + 512, 33, id(4, 3));
  for (std::uint64_t i = 0; i < 4; ++i) clone(id(4, i), id(6, i));
  make(id(5, 0), {.type = CU_GRAPH_NODE_TYPE_GRAPH, .child = 6});
  make(id(5, 1), {.name = name});
  for (std::uint64_t i = 0; i < 4; ++i) clone(id(6, i), id(8, i));
  clone(id(5, 0), id(7, 0));
  clone(id(5, 1), id(7, 1));
  make(id(7, 6), {});
  finish(name, id(7, 4), 132, 4000);
  finish(name, id(7, 5), 132, 5000);
  finish(name, id(7, 1), 66, 6000);
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
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  const auto found = in_library.find(function);
  if (found == in_library.end()) return CUDA_ERROR_INVALID_VALUE;
  return *module = reinterpret_cast<CUmodule>(found->second), CUDA_SUCCESS;  // NOLINT(performance-no-int-to-ptr)
}
CUresult cuFuncGetName(const char** name, CUfunction function) { return *name = name_of(function), CUDA_SUCCESS; }
CUresult cuFuncGetParamInfo(CUfunction, std::size_t number, std::size_t* at, std::size_t* bytes) {
  if (number >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  return *at = parameters[number].at, *bytes = parameters[number].bytes, CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
  return *graph = handle_of<CUgraph>(nodes[number_of(node)].child), CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue* value) {
  const bool known = nodes[number_of(node)].is_clone && id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  if (known) value->clusterDim.x = 2, value->clusterDim.y = value->clusterDim.z = 1;
  return CUDA_SUCCESS;
}
/// Of the kernel that no call launched.
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* what) {
  static auto first = reinterpret_cast<std::uint64_t>(buffer.data()), second = first;
  static int number = 65;
  static std::array<void*, 3> arguments = {&first, &second, &number};
  const Node& one = nodes[number_of(node)];
  if (one.type != CU_GRAPH_NODE_TYPE_KERNEL || one.name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  what->func = reinterpret_cast<CUfunction>(const_cast<char*>(one.name));
  what->gridDimX = 66, what->gridDimY = what->gridDimZ = 1, what->blockDimX = 32;
  what->blockDimY = what->blockDimZ = 1, what->kernelParams = arguments.data();
  return CUDA_SUCCESS;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS* made) {
  return made->dptr = graph_memory, made->bytesize = graph_bytes, CUDA_SUCCESS;
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode, CUDA_MEMSET_NODE_PARAMS* set) {
  return *set = {.dst = graph_memory + 256, .pitch = 0, .value = 0, .elementSize = 4, .width = 8, .height = 1},
         CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return *type = nodes[number_of(node)].type, CUDA_SUCCESS;
}
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
  return *status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
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
CUptiResult cuptiGetGraphExecId(CUgraphExec graph, std::uint32_t* id) {
  return *id = static_cast<std::uint32_t>(number_of(graph)), CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphId(CUgraph graph, std::uint32_t* id) {
  return *id = static_cast<std::uint32_t>(number_of(graph)), CUPTI_SUCCESS;
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) { return *id = number_of(node), CUPTI_SUCCESS; }
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  return *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", CUPTI_SUCCESS;
}
CUptiResult cuptiGetVersion(std::uint32_t* version) { return *version = 130000, CUPTI_SUCCESS; }
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void*) {
  if (std::getenv("FAKE_BUSY") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  return callback = function, CUPTI_SUCCESS;
}
}
