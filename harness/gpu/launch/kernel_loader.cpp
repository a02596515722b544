#include "gpu/launch/kernel_loader.hpp"

#include <fmt/format.h>

#include <set>

#include "gpu/job/args.hpp"

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

KernelLoader::KernelLoader(const Driver& driver, CUdevice device)
    : driver_(driver),
      device_(device),
      modules_(driver, 2048) {}  // a whole catalogue, because timed kernels are counted later

Expected<ShapeLimits> KernelLoader::limits(CUfunction function) const {
  const auto attribute = [&](CUdevice_attribute which) { return device_attribute(driver_, device_, which); };
  ShapeLimits limits;
  limits.sms = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
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

}  // namespace warpclock
