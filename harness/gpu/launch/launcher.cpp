#include "gpu/launch/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <ios>
#include <set>

#include "base/files/file.hpp"
#include "gpu/job/samples.hpp"

namespace warpclock {

Expected<Shape> resolve_shape(const Launch& launch, const ShapeLimits& limits) {
  const auto refuse = [](std::string text) { return fail("launch", std::move(text)); };
  if (launch.warps < 1 || launch.warps > limits.threads_per_block / 32) {
    return refuse(fmt::format("{} warps a block; this kernel can have 1 to {} ({} threads)", launch.warps,
                              limits.threads_per_block / 32, limits.threads_per_block));
  }
  std::int64_t blocks = launch.blocks;
  if (launch.blocks_per_sm != 0) {
    if (launch.blocks_per_sm < 0 || limits.sms < 1 || launch.blocks_per_sm > limits.blocks / limits.sms) {
      return refuse(fmt::format("{} blocks for each of {} SMs; a grid can have {}", launch.blocks_per_sm, limits.sms,
                                limits.blocks));
    }
    blocks = launch.blocks_per_sm * limits.sms;
  }
  if (blocks < 1 || blocks > limits.blocks) {
    return refuse(fmt::format("{} blocks; a grid can have 1 to {}", blocks, limits.blocks));
  }
  if (launch.cluster < 1 || launch.cluster > limits.cluster) {
    return refuse(fmt::format("clusters of {} blocks; this device can have 1 to {}", launch.cluster, limits.cluster));
  }
  if (blocks % launch.cluster != 0) {
    return refuse(fmt::format("{} blocks are no multiple of the cluster's {}", blocks, launch.cluster));
  }
  const std::int64_t shared = limits.shared_per_block - limits.static_shared;
  if (launch.shared_bytes < 0 || launch.shared_bytes > shared) {
    return refuse(
        fmt::format("{} bytes of dynamic shared memory a block; this kernel can have {} ({} less {} of its own)",
                    launch.shared_bytes, shared, limits.shared_per_block, limits.static_shared));
  }
  return Shape{.blocks = static_cast<unsigned>(blocks),
               .threads = static_cast<unsigned>(launch.warps * 32),
               .cluster = static_cast<unsigned>(launch.cluster),
               .shared_bytes = static_cast<unsigned>(launch.shared_bytes)};
}

std::string to_string(const Shape& shape) {
  return fmt::format("{} blocks of {} threads, clusters of {}, {} B of dynamic shared memory", shape.blocks,
                     shape.threads, shape.cluster, shape.shared_bytes);
}

namespace {

constexpr std::int64_t most_clock_bytes = 1LL << 30;  // of one launch

const std::string& module_of(const Job& job, const JobKernel& kernel) {
  return kernel.cubin_path.empty() ? job.cubin_path : kernel.cubin_path;
}

std::set<std::string> modules_of(const Job& job) {
  std::set<std::string> modules;
  for (const JobKernel& kernel : job.kernels) modules.insert(module_of(job, kernel));
  return modules;
}

}  // namespace

KernelLoader::KernelLoader(const Driver& driver, CUdevice device, int sms)
    : driver_(driver),
      device_(device),
      sms_(sms),
      modules_(driver, 2048) {}  // a whole catalogue, because timed kernels are counted later

Expected<ShapeLimits> KernelLoader::limits(CUfunction function) const {
  const auto attribute = [&](CUdevice_attribute which) { return device_attribute(driver_, device_, which); };
  ShapeLimits limits;
  limits.sms = sms_;
  limits.shared_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.cluster = attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0 ? 16 : 1;
  const auto read = [&](std::int64_t& limit, CUfunction_attribute which) -> Expected<void> {
    int value = 0;
    WARPCLOCK_TRY(check(driver_, driver_.cuFuncGetAttribute(&value, which, function), "reading a kernel's limits"));
    limit = value;
    return {};
  };
  WARPCLOCK_TRY(read(limits.threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  WARPCLOCK_TRY(read(limits.static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  return limits;
}

Expected<std::vector<ReadyKernel>> KernelLoader::load(const Job& job) {
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
  std::vector<ReadyKernel> kernels;
  std::map<CUfunction, ShapeLimits> known;  // many kernels of a job are one function with several numbers of warps
  for (const JobKernel& kernel : job.kernels) {
    const auto function = WARPCLOCK_TRY(modules_.function(module_of(job, kernel), kernel.symbol));
    const auto [at, fresh] = known.try_emplace(function);
    if (fresh) {
      at->second = WARPCLOCK_TRY(limits(function));
      configured_.erase(function);  // a kernel of an unloaded module may have had this handle
    }
    const ShapeLimits& bounds = at->second;
    Launch launch = job.launch;
    if (kernel.warps != 0) launch.warps = kernel.warps;
    if (kernel.blocks_per_sm != 0) launch.blocks_per_sm = kernel.blocks_per_sm;
    const auto shape = WARPCLOCK_TRY(resolve_shape(launch, bounds));
    if (shape.clock_bytes() > most_clock_bytes) {
      return fail("launch", fmt::format("{}: the clock readings alone take {} bytes of at most {}", to_string(shape),
                                        shape.clock_bytes(), most_clock_bytes));
    }
    kernels.push_back({.n = kernel.n,
                       .function = function,
                       .shape = shape,
                       .carveout = launch.carveout,
                       .further_passes = kernel.further_passes,
                       .at = job.at + kernel.at,
                       .at_step = kernel.steps ? job.at_step : 0,
                       .launches = kernel.launches != 0 ? kernel.launches : launch.launches,
                       .discarded = kernel.launches != 0 ? 0 : 1,
                       .part = kernel.part});
    WARPCLOCK_TRY(configure(kernels.back()));
  }
  return kernels;
}

Expected<void> KernelLoader::unload(const Job& job) {
  for (const std::string& module : modules_of(job)) WARPCLOCK_TRY(modules_.unload(module));
  return {};
}

Expected<void> KernelLoader::configure(const ReadyKernel& kernel) {
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

Expected<void> about_shape(Expected<void> done) {
  if (!done && done.error().code == ErrorCode::Cuda) done.error().code = "launch";
  return done;
}

namespace {

constexpr std::int64_t read_back_bytes = 64LL << 20;  // of launches that are read back together
constexpr std::int64_t sink_bytes = 1024LL * 4;       // one word for each thread of a block
constexpr std::int64_t most_together = 1024;          // launches
constexpr std::int64_t fact_bytes = most_together * fact_slots * 4;
constexpr std::int64_t places_bytes = 4096LL * 4;
constexpr std::int64_t unknown_l2_bytes = 128LL << 20;

// An error of one of several launches shows only after all of them.
std::string running(std::span<const BatchPlan> plans) {
  const auto threads = [](const BatchPlan& plan) {
    return std::uint64_t{plan.kernel->shape.blocks} * plan.kernel->shape.threads;
  };
  const auto [smallest, largest] = std::ranges::minmax_element(plans, {}, threads);
  const std::string from = to_string(smallest->kernel->shape), to = to_string(largest->kernel->shape);
  return from == to ? fmt::format("running {}", from) : fmt::format("running what has {}, to {}", from, to);
}

}  // namespace

// Four times the size of L2, so that the sweep evicts everything whatever the replacement policy is.
Launcher::Launcher(const Driver& driver, CUdevice device, std::int64_t l2_bytes, int sms)
    : driver_(driver),
      device_(device),
      evict_bytes_(4 * (l2_bytes > 0 ? l2_bytes : unknown_l2_bytes)),
      loader_(driver, device, sms),
      data_(driver, device),
      clocks_(driver),
      facts_(driver),
      sink_(driver),
      places_(driver),
      evict_(driver),
      texture_(driver) {}

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
  const int window = device_attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
  if (launch.persisting > window) {
    return fail("launch",
                fmt::format("an access policy window of {} bytes; the device has {}", launch.persisting, window));
  }
  const bool wanted = launch.persisting > 0;
  if (wanted == set_aside_) return {};
  const int bytes = wanted ? device_attribute(driver_, device_, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE) : 0;
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

Expected<CUdeviceptr> Launcher::clocks(const ReadyKernel& kernel) {
  WARPCLOCK_TRY(clocks_.ensure(kernel.shape.clock_bytes()));
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
  return sweep();
}

Expected<void> Launcher::sweep() {
  WARPCLOCK_TRY(evict_.ensure(evict_bytes_));
  return check(driver_,
               driver_.cuMemsetD32Async(evict_.address(), 0, static_cast<std::size_t>(evict_bytes_ / 4), nullptr),
               "sweeping L2");
}

Expected<void> Launcher::launch(const Job& job, const ReadyKernel& kernel, CUdeviceptr clocks) {
  return launch(job, kernel, clocks, facts_.address() + fact_slice_ * fact_slots * 4, places_.address(), kernel.at,
                nullptr);
}

Expected<void> Launcher::launch(const Job& job, const ReadyKernel& kernel, CUdeviceptr clocks, CUdeviceptr facts,
                                CUdeviceptr places, std::int64_t at, CUstream stream) {
  WARPCLOCK_TRY(loader_.configure(kernel));
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
  CUlaunchConfig config =
      launch_config({kernel.shape.blocks, 1, 1}, {kernel.shape.threads, 1, 1}, kernel.shape.shared_bytes);
  config.hStream = stream;
  config.attrs = attributes.data();
  config.numAttrs = static_cast<unsigned>(attributes.size());
  const CUresult result = driver_.cuLaunchKernelEx(&config, kernel.function, parameters, nullptr);
  if (result == CUDA_SUCCESS) return {};
  return about_shape(check(driver_, result, fmt::format("launching {}", to_string(kernel.shape))));
}

Expected<void> Launcher::wait(const char* doing) { return check(driver_, driver_.cuStreamSynchronize(nullptr), doing); }

Expected<std::vector<LaunchBatch>> Launcher::launch_all(const Job& job, std::span<const BatchPlan> plans) {
  std::vector<LaunchBatch> batches(plans.size());
  const std::size_t each = job.at_once ? plans.size() : 1;
  for (std::size_t first = 0; first < plans.size(); first += each)
    WARPCLOCK_TRY(launch_together(job, plans.subspan(first, each), std::span(batches).subspan(first, each)));
  return batches;
}

Expected<void> Launcher::launch_together(const Job& job, std::span<const BatchPlan> plans,
                                         std::span<LaunchBatch> batches) {
  std::vector<Slice> slices;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const BatchPlan& plan = plans[k];
    const std::int64_t slice = plan.kernel->shape.clock_bytes();
    const bool seen = job.at_once && plan.before > 0;  // the earlier plan has settled it
    const int discarded = job.at_step != 0 && plan.settles > 0 ? plan.settles : seen ? 0 : plan.kernel->discarded;
    for (int i = -discarded; i < plan.recorded; ++i) {
      if (!slices.empty() && (bytes + slice > read_back_bytes || std::ssize(slices) == most_together)) {
        WARPCLOCK_TRY(launch_part(job, plans, slices, batches));
        slices.clear();
        bytes = 0;
      }
      const int place = plan.before + (i < 0 ? i + discarded : i);
      slices.push_back({k, i >= 0, bytes, plan.kernel->at + place * plan.kernel->at_step});
      bytes += slice;
    }
  }
  WARPCLOCK_TRY(launch_part(job, plans, slices, batches));
  return {};
}

Expected<void> Launcher::launch_part(const Job& job, std::span<const BatchPlan> plans, std::span<const Slice> slices,
                                     std::span<LaunchBatch> batches) {
  const std::int64_t bytes = slices.back().first_byte + plans[slices.back().plan].kernel->shape.clock_bytes();
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
      const Shape& shape = plans[slices[i].plan].kernel->shape;
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
      WARPCLOCK_TRY(launch(job, *plans[slices[i].plan].kernel,
                           clocks_.address() + static_cast<CUdeviceptr>(slices[i].first_byte),
                           facts_.address() + i * fact_slots * 4, places_.address() + places[i], slices[i].at, stream));
    }
    return {};
  };
  WARPCLOCK_TRY(job.launch.by == LaunchBy::Graph ? launch_in_graph(launch_slices) : launch_slices(nullptr));
  if (readings_.size() < words) readings_.resize(words);
  const std::span<const BatchPlan> run =
      plans.subspan(slices.front().plan, slices.back().plan - slices.front().plan + 1);
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(readings_.data(), clocks_.address(), words * 8), running(run)));
  for (const Slice& slice : slices) {
    if (!slice.recorded) continue;
    const Shape& shape = plans[slice.plan].kernel->shape;
    LaunchBatch& batch = batches[slice.plan];
    const auto readings = std::span<const std::uint64_t>(readings_).subspan(
        static_cast<std::size_t>(slice.first_byte / 8), static_cast<std::size_t>(shape.clock_words()));
    const auto cycles = WARPCLOCK_TRY(launch_cycles(readings, shape.warps()));
    batch.cycles.push_back(cycles);
    if (!job.longest && job.places != Places::Clocks) continue;
    auto blocks = WARPCLOCK_TRY(block_cycles(readings, shape.warps()));
    if (job.longest) batch.longest.push_back(*std::ranges::max_element(blocks));
    if (job.places == Places::Clocks) batch.clocks.push_back(std::move(blocks));
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
    batches[slices[i].plan].written.assign(own.begin(), own.end());
  }
  return {};
}

Expected<void> Launcher::read_facts(std::span<const Slice> slices, std::span<LaunchBatch> batches) {
  std::vector<std::array<std::uint32_t, fact_slots>> facts(slices.size());
  WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(facts.data(), facts_.address(), facts.size() * sizeof facts[0]),
                      "reading the kernel's facts"));
  for (std::size_t i = 0; i < slices.size(); ++i) batches[slices[i].plan].facts = facts[i];
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

namespace {

constexpr std::size_t most_contents = std::size_t{256} << 20;

}  // namespace

Expected<void> Launcher::exchange(const Job& job, std::span<const ReadyKernel> kernels) {
  const JobContents& contents = job.contents;
  const auto bytes = static_cast<std::size_t>(job.data.bytes), begin = static_cast<std::size_t>(contents.begin);
  const auto kept = static_cast<std::size_t>(contents.end) - begin;
  if (contents.begin < 0 || contents.begin > contents.end || contents.end > job.data.bytes)
    return fail("data", fmt::format("bytes {} to {} of {} are to be kept", contents.begin, contents.end, bytes));
  if (!held_contents_ || held_contents_->first != contents.from) {
    auto text = WARPCLOCK_TRY(read_file(contents.from, most_contents));
    held_contents_.emplace(contents.from, std::move(text));
  }
  if (contents.constants < 0 || contents.constants + std::int64_t{sizeof tensor_} > job.data.bytes)
    return fail("data", "the constants are not in the data");
  const std::string& all = held_contents_->second;
  std::ofstream to(contents.to, std::ios::binary | std::ios::trunc);
  std::string left(kept, '\0');
  for (const ReadyKernel& kernel : kernels) {
    const std::size_t at = static_cast<std::size_t>(kernel.part) * bytes;
    if (kernel.part < 0 || at + bytes > all.size())
      return fail("data", fmt::format("{} has no part {}", contents.from, kernel.part));
    WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyHtoD(data_.address(), all.data() + at, bytes), "filling the data"));
    std::memcpy(&tensor_, all.data() + at + static_cast<std::size_t>(contents.constants), sizeof tensor_);
    const auto clocks = WARPCLOCK_TRY(this->clocks(kernel));
    WARPCLOCK_TRY(launch(job, kernel, clocks));
    WARPCLOCK_TRY(check(driver_, driver_.cuMemcpyDtoH(left.data(), data_.address() + begin, kept), "running a kernel"));
    to.write(left.data(), static_cast<std::streamsize>(kept));
  }
  if (!to.flush()) return fail("io", fmt::format("cannot write {}", contents.to));
  return {};
}

}  // namespace warpclock
