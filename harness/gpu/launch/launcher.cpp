#include "gpu/launch/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "gpu/job/samples.hpp"
#include "gpu/launch/tensor_map.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t most_clock_bytes = 1LL << 30;  // of one launch
constexpr std::int64_t read_back_bytes = 64LL << 20;  // of launches that are read back together
constexpr std::int64_t sink_bytes = 1024LL * 4;       // one word for each thread of a block
constexpr std::int64_t most_together = 1024;          // launches
constexpr std::int64_t fact_bytes = most_together * fact_slots * 4;
constexpr std::int64_t places_bytes = 4096LL * 4;
constexpr std::int64_t unknown_l2_bytes = 128LL << 20;

// A refused launch is due to its shape, whereas a sticky error is due to an earlier launch.
Expected<void> about_shape(Expected<void> done) {
  if (!done && done.error().code == ErrorCode::Cuda) done.error().code = "launch";
  return done;
}

std::int64_t clock_words(const Shape& shape) { return std::int64_t{shape.blocks} * shape.warps() * 2; }
std::int64_t slice_bytes(const Shape& shape) { return clock_words(shape) * 8; }

const std::string& module_of(const Job& job, const JobKernel& kernel) {
  return kernel.cubin_path.empty() ? job.cubin_path : kernel.cubin_path;
}

std::set<std::string> modules_of(const Job& job) {
  std::set<std::string> modules;
  for (const JobKernel& kernel : job.kernels) modules.insert(module_of(job, kernel));
  return modules;
}

// An error of one of several launches shows only after all of them.
std::string running(std::span<const Turn> turns) {
  const auto threads = [](const Turn& turn) {
    return std::uint64_t{turn.kernel->shape.blocks} * turn.kernel->shape.threads;
  };
  const auto [smallest, largest] = std::ranges::minmax_element(turns, {}, threads);
  const std::string from = to_string(smallest->kernel->shape), to = to_string(largest->kernel->shape);
  return from == to ? fmt::format("running {}", from) : fmt::format("running what has {}, to {}", from, to);
}

}  // namespace

// Four times the size of L2, so that the sweep evicts everything whatever the replacement policy is.
Launcher::Launcher(const Driver& driver, CUdevice device, std::int64_t l2_bytes)
    : driver_(driver),
      device_(device),
      evict_bytes_(4 * (l2_bytes > 0 ? l2_bytes : unknown_l2_bytes)),
      modules_(driver, 2048),  // a whole catalogue, because timed kernels are counted later
      data_(driver, device),
      clocks_(driver),
      facts_(driver),
      sink_(driver),
      places_(driver),
      evict_(driver),
      texture_(driver) {}

Expected<ShapeLimits> Launcher::limits(CUfunction function) const {
  const auto device_attribute = [&](CUdevice_attribute which) -> int {
    int value = 0;
    return driver_.cuDeviceGetAttribute(&value, which, device_) == CUDA_SUCCESS ? value : 0;
  };
  ShapeLimits limits;
  limits.sms = device_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  limits.shared_per_block = device_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.cluster = device_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0 ? 16 : 1;
  int threads = 0;
  int shared = 0;
  WARPCLOCK_TRY(check(driver_, driver_.cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function),
                      "reading a kernel's limits"));
  WARPCLOCK_TRY(check(driver_, driver_.cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
                      "reading a kernel's limits"));
  limits.threads_per_block = threads;
  limits.static_shared = shared;
  return limits;
}

Expected<std::vector<Ready>> Launcher::prepare(const Job& job) {
  if (job.kernels.empty()) return fail("launch", "the job names no kernel");
  if (job.launch.launches < 1 || job.launch.warmups < 0) {
    return fail("launch", fmt::format("{} launches after {} warm-up passes", job.launch.launches, job.launch.warmups));
  }
  if (job.facts.size() > fact_slots) {
    return fail("launch", fmt::format("{} facts; a kernel can write {}", job.facts.size(), fact_slots));
  }
  const std::set<std::string> modules = modules_of(job);
  if (modules.size() > modules_.capacity()) {
    return fail("launch", fmt::format("the job's kernels are in {} modules; {} are loaded at a time", modules.size(),
                                      modules_.capacity()));
  }
  std::vector<Ready> kernels;
  for (const JobKernel& kernel : job.kernels) {
    const auto function = WARPCLOCK_TRY(modules_.function(module_of(job, kernel), kernel.symbol));
    const auto bounds = WARPCLOCK_TRY(limits(function));
    Launch launch = job.launch;
    if (kernel.warps != 0) launch.warps = kernel.warps;
    if (kernel.blocks_per_sm != 0) launch.blocks_per_sm = kernel.blocks_per_sm;
    const auto shape = WARPCLOCK_TRY(resolve_shape(launch, bounds));
    if (slice_bytes(shape) > most_clock_bytes) {
      return fail("launch", fmt::format("{}: the clock readings alone take {} bytes of at most {}", to_string(shape),
                                        slice_bytes(shape), most_clock_bytes));
    }
    kernels.push_back({kernel.n, function, shape, launch.carveout, kernel.further_passes, job.at + kernel.at,
                       kernel.steps ? job.at_step : 0});
    configured_.erase(function);  // a kernel of an unloaded module may have had this handle
    WARPCLOCK_TRY(configure(kernels.back()));
  }
  return kernels;
}

Expected<void> Launcher::unload(const Job& job) {
  for (const std::string& module : modules_of(job)) WARPCLOCK_TRY(modules_.unload(module));
  return {};
}

// Done before each launch, because cases that differ only in their launch share a kernel.
Expected<void> Launcher::configure(const Ready& kernel) {
  const Configuration wanted{kernel.shape.shared_bytes, kernel.carveout, kernel.shape.cluster > 8};
  const auto at = configured_.find(kernel.function);
  if (at != configured_.end() && at->second == wanted) return {};
  const auto set = [&](CUfunction_attribute attribute, std::int64_t value) {
    return about_shape(check(driver_, driver_.cuFuncSetAttribute(kernel.function, attribute, static_cast<int>(value)),
                             fmt::format("preparing {}", to_string(kernel.shape))));
  };
  WARPCLOCK_TRY(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wanted.shared_bytes));
  WARPCLOCK_TRY(set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, wanted.carveout));
  // Every device with clusters supports eight blocks; more must be requested.
  if (wanted.large_cluster) WARPCLOCK_TRY(set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
  configured_[kernel.function] = wanted;
  return {};
}

Expected<void> Launcher::restore(const Job& job) {
  WARPCLOCK_TRY(facts_.ensure(fact_bytes));
  WARPCLOCK_TRY(sink_.ensure(sink_bytes));
  WARPCLOCK_TRY(places_.ensure(places_bytes));
  if (job.data.cold) WARPCLOCK_TRY(evict_.ensure(evict_bytes_));
  WARPCLOCK_TRY(release_persisting_lines());
  WARPCLOCK_TRY(set_aside(job.launch));
  WARPCLOCK_TRY(data_.restore(job.data));
  tensor_ = WARPCLOCK_TRY(encode(driver_, job.data.tensor, data_.address(), job.data.bytes));
  return texture_.bind(job.data.texel, data_.address(), job.data.bytes);
}

// The part of L2 that is set aside is lost to all other accesses, so it is given back when the next job needs none.
Expected<void> Launcher::set_aside(const Launch& launch) {
  const auto most = [&](CUdevice_attribute which) {
    int value = 0;
    return driver_.cuDeviceGetAttribute(&value, which, device_) == CUDA_SUCCESS ? value : 0;
  };
  const int window = most(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
  if (launch.persisting > window) {
    return fail("launch",
                fmt::format("an access policy window of {} bytes; the device has {}", launch.persisting, window));
  }
  const bool wanted = launch.persisting > 0;
  if (wanted == set_aside_) return {};
  const int bytes = wanted ? most(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) : 0;
  WARPCLOCK_TRY(check(driver_,
                      driver_.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, static_cast<std::size_t>(bytes)),
                      "setting aside a part of L2"));
  set_aside_ = wanted;
  return {};
}

Expected<void> Launcher::release_persisting_lines() {
  const CUresult result = driver_.cuCtxResetPersistingL2Cache();
  // Before sm_80 no line persists.
  return check(driver_, result == CUDA_ERROR_NOT_SUPPORTED ? CUDA_SUCCESS : result, "releasing persisting lines of L2");
}

Expected<CUdeviceptr> Launcher::clocks(const Ready& kernel) {
  WARPCLOCK_TRY(clocks_.ensure(slice_bytes(kernel.shape)));
  return clocks_.address();
}

Expected<bool> Launcher::zero_facts(bool fresh) {
  if (!fresh && ++fact_slice_ < most_together) return false;
  fact_slice_ = 0;
  WARPCLOCK_TRY(check(driver_, driver_.cuMemsetD32Async(facts_.address(), 0, fact_bytes / 4, nullptr),
                      "zeroing the kernel's facts"));
  return true;
}

Expected<void> Launcher::before_launch(const Job& job) {
  if (!job.data.cold) return {};
  // Lines that an earlier launch marked evict_last would survive the sweep. The reset is not ordered by the stream.
  WARPCLOCK_TRY(wait("the launch before"));
  WARPCLOCK_TRY(release_persisting_lines());
  return check(driver_,
               driver_.cuMemsetD32Async(evict_.address(), 0, static_cast<std::size_t>(evict_bytes_ / 4), nullptr),
               "sweeping L2");
}

Expected<void> Launcher::launch(const Job& job, const Ready& kernel, CUdeviceptr clocks) {
  return launch(job, kernel, clocks, facts_.address() + fact_slice_ * fact_slots * 4, places_.address(), kernel.at,
                nullptr);
}

Expected<void> Launcher::launch(const Job& job, const Ready& kernel, CUdeviceptr clocks, CUdeviceptr facts,
                                CUdeviceptr places, std::int64_t at, CUstream stream) {
  WARPCLOCK_TRY(configure(kernel));
  DeviceArgs args{.clocks = clocks,
                  .data = data_.address(),
                  .data_bytes = static_cast<std::uint64_t>(job.data.bytes),
                  .facts = facts,
                  .sink = sink_.address(),
                  .passes = static_cast<std::uint32_t>(job.launch.warmups + 1 + kernel.further_passes),
                  .zero = 0,
                  .at = static_cast<std::uint64_t>(at),
                  .texture = texture_.handle(),
                  .places = places,
                  .tensor = tensor_};
  void* parameters[] = {&args};
  std::vector<CUlaunchAttribute> attributes;
  const auto ask = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    attributes.emplace_back().id = id;
    return attributes.back().value;
  };
  if (kernel.shape.cluster > 1) {
    ask(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {.x = kernel.shape.cluster, .y = 1, .z = 1};
  }
  if (job.launch.by == LaunchBy::Cooperative) ask(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (job.launch.by == LaunchBy::Dependent) {
    ask(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  }
  if (job.launch.persisting > 0) {
    ask(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow = {
        .base_ptr = std::bit_cast<void*>(data_.address()),
        .num_bytes = static_cast<std::size_t>(std::min(job.launch.persisting, job.data.bytes)),
        .hitRatio = static_cast<float>(job.launch.hit_ratio) / 100,
        .hitProp = CU_ACCESS_PROPERTY_PERSISTING,
        .missProp = CU_ACCESS_PROPERTY_NORMAL};
  }
  CUlaunchConfig config{};
  config.gridDimX = kernel.shape.blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kernel.shape.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kernel.shape.shared_bytes;
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const CUresult result = driver_.cuLaunchKernelEx(&config, kernel.function, parameters, nullptr);
  if (result == CUDA_SUCCESS) return {};
  return about_shape(check(driver_, result, fmt::format("launching {}", to_string(kernel.shape))));
}

Expected<void> Launcher::wait(const char* doing) { return check(driver_, driver_.cuStreamSynchronize(nullptr), doing); }

Expected<std::vector<LaunchBatch>> Launcher::launch_all(const Job& job, std::span<const Turn> turns) {
  std::vector<LaunchBatch> batches(turns.size());
  const std::size_t each = job.at_once ? turns.size() : 1;
  for (std::size_t first = 0; first < turns.size(); first += each)
    WARPCLOCK_TRY(go(job, turns.subspan(first, each), std::span(batches).subspan(first, each)));
  return batches;
}

Expected<void> Launcher::go(const Job& job, std::span<const Turn> turns, std::span<LaunchBatch> batches) {
  std::vector<Slice> slices;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const Turn& turn = turns[k];
    const std::int64_t slice = slice_bytes(turn.kernel->shape);
    const bool seen = job.at_once && turn.before > 0;  // the earlier turn has settled it
    const int discarded = job.at_step != 0 && turn.settles > 0 ? turn.settles : seen ? 0 : 1;
    for (int i = -discarded; i < turn.recorded; ++i) {
      if (!slices.empty() && (bytes + slice > read_back_bytes || std::ssize(slices) == most_together)) {
        WARPCLOCK_TRY(part(job, turns, slices, batches));
        slices.clear();
        bytes = 0;
      }
      const int place = turn.before + (i < 0 ? i + discarded : i);
      slices.push_back({k, i >= 0, bytes, turn.kernel->at + place * turn.kernel->at_step});
      bytes += slice;
    }
  }
  WARPCLOCK_TRY(part(job, turns, slices, batches));
  return {};
}

Expected<void> Launcher::part(const Job& job, std::span<const Turn> turns, std::span<const Slice> slices,
                              std::span<LaunchBatch> batches) {
  const std::int64_t bytes = slices.back().first_byte + slice_bytes(turns[slices.back().turn].kernel->shape);
  const auto words = static_cast<std::size_t>(bytes / 8);
  WARPCLOCK_TRY(clocks_.ensure(bytes));
  WARPCLOCK_TRY(
      check(driver_, driver_.cuMemsetD32Async(clocks_.address(), 0, words * 2, nullptr), "zeroing the clock readings"));
  // One slice of facts for each launch, so that no memset is needed between launches.
  WARPCLOCK_TRY(check(driver_, driver_.cuMemsetD32Async(facts_.address(), 0, slices.size() * fact_slots, nullptr),
                      "zeroing the kernel's facts"));
  // If all launches are queued at once, each has its own places. Otherwise the launches of one kernel add to the same
  // places.
  std::vector<std::size_t> places(slices.size() + 1, 0);
  if (job.places == Places::Written) {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const Shape& shape = turns[slices[i].turn].kernel->shape;
      places[i + 1] = job.at_once ? places[i] + std::size_t{4} * shape.blocks * shape.threads : 0;
    }
    if (!job.at_once) places.back() = places_bytes;
    WARPCLOCK_TRY(places_.ensure(static_cast<std::int64_t>(places.back())));
    WARPCLOCK_TRY(check(driver_, driver_.cuMemsetD32Async(places_.address(), 0, places.back() / 4, nullptr),
                        "zeroing the kernel's places"));
  }
  const auto launch_slices = [&](CUstream stream) -> Expected<void> {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      WARPCLOCK_TRY(before_launch(job));
      WARPCLOCK_TRY(launch(job, *turns[slices[i].turn].kernel,
                           clocks_.address() + static_cast<CUdeviceptr>(slices[i].first_byte),
                           facts_.address() + i * fact_slots * 4, places_.address() + places[i], slices[i].at, stream));
    }
    return {};
  };
  WARPCLOCK_TRY(job.launch.by == LaunchBy::Graph ? launch_in_graph(launch_slices) : launch_slices(nullptr));
  if (readings_.size() < words) readings_.resize(words);
  const std::span<const Turn> run = turns.subspan(slices.front().turn, slices.back().turn - slices.front().turn + 1);
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(readings_.data(), clocks_.address(), words * 8), running(run)));
  for (const Slice& slice : slices) {
    if (!slice.recorded) continue;
    const Shape& shape = turns[slice.turn].kernel->shape;
    LaunchBatch& batch = batches[slice.turn];
    const auto readings = std::span<const std::uint64_t>(readings_).subspan(
        static_cast<std::size_t>(slice.first_byte / 8), static_cast<std::size_t>(clock_words(shape)));
    const auto cycles = WARPCLOCK_TRY(launch_cycles(readings, shape.warps()));
    batch.cycles.push_back(cycles);
    if (job.places != Places::Clocks) continue;
    auto cycles_of_places = WARPCLOCK_TRY(block_cycles(readings, shape.warps()));
    batch.clocks.push_back(std::move(cycles_of_places));
  }
  if (job.places == Places::Written) WARPCLOCK_TRY(read_places(slices, places, batches));
  return job.facts.empty() ? Expected<void>{} : read_facts(slices, batches);
}

Expected<void> Launcher::read_places(std::span<const Slice> slices, std::span<const std::size_t> places,
                                     std::span<LaunchBatch> batches) {
  std::vector<std::uint32_t> words(places.back() / 4);
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(words.data(), places_.address(), places.back()),
                      "reading the kernel's places"));
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::size_t end = places[i + 1] > places[i] ? places[i + 1] : places.back();
    std::span<const std::uint32_t> own = std::span(words).subspan(places[i] / 4, (end - places[i]) / 4);
    while (!own.empty() && own.back() == 0) own = own.first(own.size() - 1);
    batches[slices[i].turn].written.assign(own.begin(), own.end());
  }
  return {};
}

Expected<void> Launcher::read_facts(std::span<const Slice> slices, std::span<LaunchBatch> batches) {
  std::vector<std::array<std::uint32_t, fact_slots>> facts(slices.size());
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(facts.data(), facts_.address(), facts.size() * sizeof facts[0]),
                      "reading the kernel's facts"));
  for (std::size_t i = 0; i < slices.size(); ++i) batches[slices[i].turn].facts = facts[i];
  return {};
}

// The default stream cannot be captured.
Expected<void> Launcher::launch_in_graph(const std::function<Expected<void>(CUstream)>& launch_all) {
  const auto done = [this](CUresult result) { return check(driver_, result, "launching a graph"); };
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  WARPCLOCK_TRY(done(driver_.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)));
  auto result = done(driver_.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  if (result) {
    result = launch_all(stream);
    const auto ended = done(driver_.cuStreamEndCapture(stream, &graph));
    if (result) result = ended;
  }
  if (result) result = done(driver_.cuGraphInstantiate(&ready, graph, 0));
  if (result) result = done(driver_.cuGraphLaunch(ready, nullptr));
  if (result) result = wait("running a graph");
  if (ready != nullptr) driver_.cuGraphExecDestroy(ready);
  if (graph != nullptr) driver_.cuGraphDestroy(graph);
  driver_.cuStreamDestroy(stream);
  return result;
}

}  // namespace warpclock
