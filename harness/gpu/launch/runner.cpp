#include "gpu/launch/runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/lookup.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/partition.hpp"
#include "gpu/job/job.hpp"
#include "gpu/job/statistics.hpp"
#include "gpu/launch/caller.hpp"
#include "gpu/launch/clock.hpp"
#include "gpu/launch/launcher.hpp"

namespace warpclock {

/// What a runner holds; only its sources include this.
struct Runner::State {
  // Retained as long as this object exists.
  struct PrimaryContext {
    const Driver& driver;
    CUdevice device;
    CUcontext context;
    ~PrimaryContext() { driver.cuDevicePrimaryCtxRelease(device); }
  };

  /// Kernels whose counters are read as one, and their job.
  struct CountedKernels {
    const Job* job;
    std::span<const ReadyKernel> kernels;
  };

  /// How old a reading of the clock may be that short jobs share, and one that is a job's own.
  static constexpr auto clock_every = std::chrono::milliseconds(20), fresh = std::chrono::milliseconds(0);

  State(const Driver& table, CUdevice device, CUcontext context)
      : driver(table), primary{driver, device, context}, meter(driver) {}

  Driver driver;
  PrimaryContext primary;
  std::optional<GreenContext> green;
  Expected<std::unique_ptr<Counters>> counter_source = fail("counters-absent", "not opened");
  ClockMeter meter;
  DeviceFacts facts;
  std::optional<Nvml> nvml;
  EnergySampler::Read read_energy;
  NvmlReading last_reading;
  std::optional<std::chrono::steady_clock::time_point> last_read;
  ClockMeasurement last_clock;
  std::optional<std::chrono::steady_clock::time_point> last_clock_at;
  std::optional<Launcher> launcher;
  std::optional<Caller> caller;
  LoadCublas load_cublas;
  std::vector<GpuProcess> before_us, others;
  std::vector<std::string> others_in_words;
  double wait_us = 0, pause_us = 0;

  [[nodiscard]] Expected<ClockMeasurement> measure_clock();
  /// The last reading, or a new one if it is older than that.
  [[nodiscard]] Expected<ClockMeasurement> clock_within(std::chrono::milliseconds age);
  [[nodiscard]] Expected<double> wait_behind(const ClockMeasurement& now);
  [[nodiscard]] double longest_pause_us();
  void find_others();
  [[nodiscard]] const NvmlReading& reading();
  [[nodiscard]] Expected<void> time(const Job& job, const std::vector<ReadyKernel>& kernels, Observation& observation);
  [[nodiscard]] static Expected<void> add_counted(const Job& job, std::span<const ReadyKernel> kernels,
                                                  std::vector<CountedKernels>& all);
  /// Notes the counters of each launch, or why there are none. Error "fault".
  [[nodiscard]] Expected<void> collect(const std::vector<std::string>& counters,
                                       const std::vector<CountedLaunch>& launches, Observation& observation);
  [[nodiscard]] Expected<void> count(const std::vector<CountedKernels>& all, Observation& observation);
  [[nodiscard]] Expected<LaunchBatch> launch_plan(const Job& job, const BatchPlan& plan);
  /// The same, with the power of the board meanwhile if that is known.
  [[nodiscard]] Expected<LaunchBatch> launch_with_energy(const Job& job, const BatchPlan& plan);
  /// Runs the plans. If they take long, the clock is read between them too, and the energy counter meanwhile.
  [[nodiscard]] Expected<std::vector<LaunchBatch>> run_plans(const Job& job, std::span<const BatchPlan> plans,
                                                             RowClock& clock, ClockReading& noted);
  /// The clock after a job, at most so old, and what else the device says then.
  [[nodiscard]] Expected<void> close_clock(RowClock& clock, std::chrono::milliseconds age, Observation& observation);
  [[nodiscard]] Expected<Observation> run(const Job& job);
  /// The job's call instead of kernels of probes.
  [[nodiscard]] Expected<Observation> call(const Job& job);
  [[nodiscard]] Expected<void> count_call(const Job& job, Observation& observation);
  /// Notes the times of the library's call, or why there are none. Error "fault".
  [[nodiscard]] Expected<void> time_library(Observation& observation);
};

namespace {

constexpr const char* unsteady_digest = "-";

// Compared within one process only, so it need not be the same everywhere.
std::string digest_of(const std::vector<double>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return fmt::format("{:x}", std::hash<std::string_view>{}(text));
}

}  // namespace

Expected<void> Runner::State::time(const Job& job, const std::vector<ReadyKernel>& kernels, Observation& observation) {
  if (counter_source) (*counter_source)->rest();
  // A clock reading takes as long as a short job, so many of those share one.
  const auto age = job.at_once ? clock_every : fresh;
  RowClock clock;
  const auto before = WARPCLOCK_TRY(clock_within(age));
  clock.add(before);
  observation.samples.resize(kernels.size());
  if (job.places == Places::Written) observation.digests.resize(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) observation.samples[i].n = kernels[i].n;
  const auto largest =
      static_cast<std::size_t>(std::ranges::max_element(kernels, {}, &ReadyKernel::n) - kernels.begin());

  // The repeat counts are run up and down, so that drift is not taken for growth.
  std::vector<BatchPlan> plans;
  for (const ReadyKernel& kernel : kernels)
    plans.push_back({&kernel, (kernel.launches + 1) / 2, 0, plans.empty() ? kernel.launches : 0});
  for (std::size_t i = kernels.size(); i-- > 0;) {
    const int launches = kernels[i].launches;
    if (launches > 1) plans.push_back({&kernels[i], launches / 2, (launches + 1) / 2, 0});
  }
  const auto batches = WARPCLOCK_TRY(run_plans(job, plans, clock, observation.clock));
  std::vector<std::vector<double>> launches;  // for the kernel with the largest repeat count, the cycles of each place
  for (std::size_t t = 0; t < plans.size(); ++t) {
    const LaunchBatch& batch = batches[t];
    const auto i = static_cast<std::size_t>(plans[t].kernel - kernels.data());
    Series& series = observation.samples[i];
    series.cycles.insert(series.cycles.end(), batch.cycles.begin(), batch.cycles.end());
    series.longest.insert(series.longest.end(), batch.longest.begin(), batch.longest.end());
    if (batch.watts > 0) {
      series.watts.push_back(batch.watts), series.window_s.push_back(batch.window_s);
      series.blocks = plans[t].kernel->shape.blocks;
    }
    if (!batch.written.empty()) {
      std::string& digest = observation.digests[i];
      const std::string now = digest_of(batch.written);
      digest = digest.empty() || digest == now ? now : unsteady_digest;
    }
    if (i != largest) continue;
    launches.insert(launches.end(), batch.clocks.begin(), batch.clocks.end());
    if (!batch.written.empty()) observation.places = batch.written;
    for (std::size_t f = 0; f < job.facts.size(); ++f) observation.facts[job.facts[f]] = batch.facts[f];
  }

  for (std::string& digest : observation.digests) {
    if (digest == unsteady_digest) digest.clear();
  }
  if (!launches.empty()) observation.places = medians_of_places(launches);
  return close_clock(clock, age, observation);
}

Expected<void> Runner::State::add_counted(const Job& job, std::span<const ReadyKernel> kernels,
                                          std::vector<CountedKernels>& all) {
  const std::int64_t together = job.counted_together;
  if (together < 1 || std::ssize(kernels) % together != 0) {
    return fail("launch", fmt::format("{} kernels cannot be counted {} at a time", kernels.size(), together));
  }
  const auto each = static_cast<std::size_t>(together);
  for (std::size_t i = 0; i < kernels.size(); i += each) all.push_back({&job, kernels.subspan(i, each)});
  return {};
}

Expected<void> Runner::State::collect(const std::vector<std::string>& counters,
                                      const std::vector<CountedLaunch>& launches, Observation& observation) {
  if (!counter_source) {
    observation.counters_missing = counter_source.error().text;
    return {};
  }
  auto values = (*counter_source)->collect(counters, launches);
  if (!values) tell_fault(driver, values.error());
  if (values) {
    observation.counted = *std::move(values);
  } else if (values.error().code == ErrorCode::Fault) {
    return std::unexpected(values.error());
  } else {
    observation.counters_missing = values.error().text;
  }
  return {};
}

Expected<void> Runner::State::count(const std::vector<CountedKernels>& all, Observation& observation) {
  std::vector<CountedLaunch> launches;
  bool begin = true;
  const auto zero_facts = [&] { return launcher->zero_facts(std::exchange(begin, false)); };
  for (const CountedKernels& counted : all) {
    const Job& job = *counted.job;
    const auto run = [this, &job, kernels = counted.kernels]() -> Expected<void> {
      for (const ReadyKernel& kernel : kernels) {
        const auto clocks = WARPCLOCK_TRY(launcher->clocks(kernel));
        WARPCLOCK_TRY(launcher->launch(job, kernel, clocks));
      }
      return launcher->wait("running a kernel whose counters are read");
    };
    const auto prepare = [this, &job, &zero_facts, run]() -> Expected<void> {
      if (job.prepared) WARPCLOCK_TRY(launcher->restore(job));
      if (job.prepared && !job.data.cold) {
        WARPCLOCK_TRY(launcher->before_launch(job));
        (void)WARPCLOCK_TRY(zero_facts());
        WARPCLOCK_TRY(run());
      }
      WARPCLOCK_TRY(launcher->before_launch(job));
      const auto zeroed = WARPCLOCK_TRY(zero_facts());
      if (!zeroed && !job.prepared && !job.data.cold) return {};
      return launcher->wait("preparing a launch whose counters are read");
    };
    launches.push_back({prepare, run});
  }
  const Job& first = *all.front().job;
  WARPCLOCK_TRY(collect(first.counters, launches, observation));
  if (first.timed && !observation.counted.empty()) {
    observation.counters = std::move(observation.counted.front());
    observation.counted.clear();
  }
  return {};
}

Runner::Runner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Runner::~Runner() = default;

const DeviceFacts& Runner::device() const { return state_->facts; }
std::string Runner::counters_missing() const {
  return state_->counter_source ? "" : state_->counter_source.error().text;
}
const std::vector<std::string>& Runner::others() const { return state_->others_in_words; }
double Runner::wait_us() const { return state_->wait_us; }
double Runner::pause_us() const { return state_->pause_us; }

namespace {

/// Notes what the current context is of a GPU, by where its blocks run.
Expected<void> find_partition(const Driver& driver, CUdevice device, bool green, DeviceFacts& facts) {
  if (green) facts.partition = "green context", facts.parent_sms = facts.sms;
  if (facts.partition.empty()) return {};
  facts.sms = WARPCLOCK_TRY(count_sms(driver, device));
  if (!green) return {};
  facts.name += fmt::format(", {} of {} SMs", facts.sms, facts.parent_sms);
  facts.slug = device_slug(facts.name);
  return {};
}

}  // namespace

Expected<std::unique_ptr<Runner>> Runner::open(const Driver& driver, const OpenCounters& open_counters, LoadCublas load,
                                               EnergySampler::Read read_energy, int sms) {
  const auto no_device = [](const Expected<void>& failed) { return fail(ErrorCode::NoDevice, failed.error().text); };
  if (auto ok = check(driver, driver.cuInit(0), "starting the NVIDIA driver"); !ok) return no_device(ok);
  CUdevice device = 0;
  if (auto ok = check(driver, driver.cuDeviceGet(&device, 0), "looking for GPU 0"); !ok) return no_device(ok);
  std::optional<Nvml> nvml;
  std::vector<GpuProcess> before_us;
  std::array<char, 32> bus_id{};
  if (driver.cuDeviceGetPCIBusId(bus_id.data(), bus_id.size() - 1, device) == CUDA_SUCCESS) {
    if (auto opened = Nvml::open(bus_id.data())) nvml = *opened;
  }
  if (nvml) before_us = nvml->processes();
  CUcontext context = nullptr;
  if (auto ok = check(driver, driver.cuDevicePrimaryCtxRetain(&context, device), "opening GPU 0"); !ok) {
    return no_device(ok);
  }
  auto state = std::make_unique<State>(driver, device, context);
  WARPCLOCK_TRY(check(driver, driver.cuCtxSetCurrent(context), "opening GPU 0"));
  state->nvml = nvml;
  state->before_us = std::move(before_us);
  auto facts = WARPCLOCK_TRY(device_facts(driver, device, state->nvml ? &*state->nvml : nullptr));
  state->facts = std::move(facts);
  if (sms > 0) {
    state->green.emplace(WARPCLOCK_TRY(GreenContext::open(state->driver, device, sms)));
    context = state->green->context();
    WARPCLOCK_TRY(check(driver, driver.cuCtxSetCurrent(context), "using a green context"));
  }
  WARPCLOCK_TRY(find_partition(driver, device, sms > 0, state->facts));
  // Kept for all jobs, because what it computes for a set of metrics also serves the next case. It profiles only while
  // it collects.
  state->counter_source = open_counters(context);
  if (state->counter_source) state->facts.chip = (*state->counter_source)->chip();
  state->launcher.emplace(state->driver, device, state->facts.l2_bytes, state->facts.sms);
  state->caller.emplace(state->driver, device, *state->launcher, state->meter);
  state->load_cublas = std::move(load);
  state->read_energy = std::move(read_energy);
  if (!state->read_energy && nvml) state->read_energy = [nvml = *nvml] { return nvml.energy_j(); };
  state->meter.settle();
  state->find_others();
  return std::unique_ptr<Runner>(new Runner(std::move(state)));
}

Expected<Observation> Runner::State::run(const Job& job) {
  if (!job.call.symbol.empty()) return call(job);
  if (!job.ptx_path.empty()) return assemble_by_driver(driver, job, loaded_code);
  const auto kernels = WARPCLOCK_TRY(launcher->prepare(job));
  WARPCLOCK_TRY(launcher->restore(job));
  Observation observation;
  if (!job.contents.from.empty()) {
    WARPCLOCK_TRY(launcher->exchange(job, kernels));
    if (job.once) WARPCLOCK_TRY(launcher->unload(job));
    return observation;
  }
  if (job.timed) WARPCLOCK_TRY(time(job, kernels, observation));
  if (!job.counters.empty()) {
    std::vector<CountedKernels> counted;
    std::list<std::vector<ReadyKernel>> more;
    if (job.timed) {
      counted.push_back({&job, std::span(&*std::ranges::max_element(kernels, {}, &ReadyKernel::n), 1)});
    } else {
      WARPCLOCK_TRY(add_counted(job, kernels, counted));
    }
    for (const Job& other : job.counted_with) {
      if (job.timed || other.counters != job.counters) return fail("launch", "only like jobs are counted together");
      auto prepared = WARPCLOCK_TRY(launcher->prepare(other));
      WARPCLOCK_TRY(add_counted(other, more.emplace_back(std::move(prepared)), counted));
    }
    WARPCLOCK_TRY(count(counted, observation));
  }
  if (job.once) WARPCLOCK_TRY(launcher->unload(job));
  return observation;
}

Expected<Observation> Runner::run(const Job& job) {
  auto seen = state_->run(job);
  if (!seen) tell_fault(state_->driver, seen.error());
  return seen;
}

Expected<Observation> Runner::State::call(const Job& job) {
  if (counter_source) (*counter_source)->rest();
  Observation observation;
  WARPCLOCK_TRY(caller->prepare(job.cubin_path, job.call));
  RowClock clock;
  const auto before = WARPCLOCK_TRY(clock_within(fresh));
  clock.add(before);
  auto times = WARPCLOCK_TRY(caller->time());
  observation.call_us = std::move(times);
  WARPCLOCK_TRY(close_clock(clock, fresh, observation));
  auto empty = WARPCLOCK_TRY(caller->time_empty());
  observation.empty_us = std::move(empty);
  if (job.call.library.m > 0) WARPCLOCK_TRY(time_library(observation));
  if (!job.counters.empty()) WARPCLOCK_TRY(count_call(job, observation));
  caller->release();
  return observation;
}

// The kernel's own times are as good without it.
Expected<void> Runner::State::time_library(Observation& observation) {
  auto times = caller->time_library(load_cublas);
  if (times) {
    observation.library = *std::move(times);
  } else if (times.error().code == ErrorCode::Fault) {
    return std::unexpected(times.error());
  } else {
    observation.library.missing = times.error().text;
  }
  return {};
}

// Several launches, because one may be an outlier. Each is settled as a timed one is.
Expected<void> Runner::State::count_call(const Job& job, Observation& observation) {
  constexpr std::size_t counted_launches = 5;
  const std::vector<CountedLaunch> launches(counted_launches,
                                            {[this] { return caller->settle(); }, [this] { return caller->run(); }});
  return collect(job.counters, launches, observation);
}

namespace {

using Time = std::chrono::steady_clock;

constexpr auto nvml_every = std::chrono::milliseconds(100);  // a power reading takes the driver a millisecond or more

}  // namespace

// Returns zeros if the driver cannot compile the clock kernel: the cycles are still valid, and no clock is made up.
Expected<ClockMeasurement> Runner::State::measure_clock() {
  const auto seen = meter.measure();
  if (!seen && seen.error().code == ErrorCode::ClockKernel) return ClockMeasurement{};
  return seen;
}

Expected<ClockMeasurement> Runner::State::clock_within(std::chrono::milliseconds age) {
  if (!last_clock_at || Time::now() - *last_clock_at >= age) {
    last_clock = WARPCLOCK_TRY(measure_clock());
    last_clock_at = Time::now();
  }
  return last_clock;
}

// Called after finished work, so that the kernel can only wait for another process.
Expected<double> Runner::State::wait_behind(const ClockMeasurement& now) {
  constexpr std::uint64_t shortly_ns = 1'000;
  return shortest_wait_us(now.wait_us, [&] { return meter.measure(shortly_ns); });
}

const NvmlReading& Runner::State::reading() {
  if (nvml && (!last_read || Time::now() - *last_read >= nvml_every)) {
    last_reading = nvml->read();
    others = other_processes(nvml->processes(), getpid(), before_us);
    last_read = Time::now();
  }
  return last_reading;
}

Expected<LaunchBatch> Runner::State::launch_plan(const Job& job, const BatchPlan& plan) {
  auto batches = WARPCLOCK_TRY(launcher->launch_all(job, std::span(&plan, 1)));
  return std::move(batches.front());
}

Expected<LaunchBatch> Runner::State::launch_with_energy(const Job& job, const BatchPlan& plan) {
  std::optional<EnergySampler> sampler;
  if (read_energy) sampler.emplace(read_energy);
  const auto begun = Time::now();
  auto batch = WARPCLOCK_TRY(launch_plan(job, plan));
  const std::chrono::duration<double> took = Time::now() - begun;
  if (!sampler) return batch;
  if (const auto used = energy_between_steps(sampler->stop())) {
    const int windows = (plan.recorded + 1) * (job.launch.warmups + 1);
    batch.watts = used->joules / used->seconds;
    batch.window_s = took.count() / windows;
  }
  return batch;
}

Expected<std::vector<LaunchBatch>> Runner::State::run_plans(const Job& job, std::span<const BatchPlan> plans,
                                                            RowClock& clock, ClockReading& noted) {
  if (job.at_once) return launcher->launch_all(job, plans);
  std::vector<LaunchBatch> batches;
  std::optional<EnergySampler> sampler;
  auto read = Time::now();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    auto batch = WARPCLOCK_TRY(job.energy ? launch_with_energy(job, plans[i]) : launch_plan(job, plans[i]));
    batches.push_back(std::move(batch));
    if (job.energy || i + 1 == plans.size() || Time::now() - read < clock_every) continue;
    const auto between = WARPCLOCK_TRY(clock_within(fresh));
    clock.add(between);
    read = Time::now();
    if (i > 0) continue;
    // A load that lasts: what clock and power are at its begin does not count. A sweep of L2 is not the load.
    clock.begin_here();
    if (read_energy && !job.data.cold) sampler.emplace(read_energy);
  }
  if (!sampler) return batches;
  if (const auto used = energy_between_steps(sampler->stop()))
    noted.energy_j = used->joules, noted.energy_s = used->seconds;
  return batches;
}

Expected<void> Runner::State::close_clock(RowClock& clock, std::chrono::milliseconds age, Observation& observation) {
  const auto after = WARPCLOCK_TRY(clock_within(age));
  clock.add(after);
  const auto waited = WARPCLOCK_TRY(wait_behind(after));
  clock.note(observation.clock);
  if (const double* const seen = value_at(observation.facts, sm_mhz_fact); seen != nullptr && *seen > 0) {
    observation.clock.sm_mhz = *seen, observation.clock.in_window = true;
    observation.clock.sm_low_mhz = observation.clock.sm_high_mhz = 0;
  }
  observation.clock.wait_us = std::round(waited);
  observation.timer = meter.timer();
  if (observation.timer.differs()) observation.clock.timer_ratio = observation.timer.ratio;
  const NvmlReading& now = reading();
  observation.clock.memory_mhz = now.memory_mhz.value_or(0);
  observation.board_w = now.power_w.value_or(0);
  observation.clock.temperature_c = now.temperature_c.value_or(0);
  observation.clock.throttle = now.throttle;
  observation.clock.others = static_cast<int>(others.size());
  return {};
}

// A process that works now and then lets short kernels pass, but a kernel that lasts longer than a time slice is
// stopped for it. Containers hide such a process from NVML.
double Runner::State::longest_pause_us() {
  constexpr int kernels = 5;
  constexpr std::uint64_t several_slices_ns = 10'000'000;
  double longest = 0;
  for (int i = 0; i < kernels && longest < foreign_pause_us; ++i)
    if (const auto seen = meter.measure(several_slices_ns)) longest = std::max(longest, seen->pause_us);
  return longest;
}

void Runner::State::find_others() {
  if (nvml) others = other_processes(nvml->processes(), getpid(), before_us);
  for (const GpuProcess& one : others) others_in_words.push_back(to_string(one));
  if (const auto now = measure_clock()) wait_us = wait_behind(*now).value_or(0);
  pause_us = longest_pause_us();
}

}  // namespace warpclock
