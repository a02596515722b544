#include "gpu/counters/counters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#if defined(WARPCLOCK_HAVE_CUPTI)
#include "gpu/counters/range_profiler.hpp"
#endif

namespace warpclock {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Error counters_refused() {
  return {"counters-refused",
          "the NVIDIA driver keeps hardware counters for administrators: run as root or with CAP_SYS_ADMIN (in a "
          "container: --cap-add=SYS_ADMIN), or load the nvidia kernel module with "
          "NVreg_RestrictProfilingToAdminUsers=0",
          ""};
}

Error counters_absent(std::string_view why) {
  return {"counters-absent", fmt::format("no hardware counters: {}", why), ""};
}

std::optional<Error> counters_switched_off() {
  const std::string off = variable("WARPCLOCK_NO_COUNTERS");
  if (!off.empty() && off != "0") return counters_absent("switched off by WARPCLOCK_NO_COUNTERS");
  const std::string play = variable("WARPCLOCK_COUNTERS");
  if (play == "refused") return counters_refused();
  if (play == "absent") return counters_absent("WARPCLOCK_COUNTERS=absent plays a machine without CUPTI's profiler");
  return std::nullopt;
}

#if defined(WARPCLOCK_HAVE_CUPTI)

namespace {

Expected<std::string> chip_of(CUcontext context) {
  std::uint32_t device = 0;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiGetDeviceId(context, &device), "looking up the context's device"));
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, support);
  support.cuDevice = static_cast<CUdevice>(device);
  support.api = CUPTI_PROFILER_RANGE_PROFILING;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerDeviceSupported(&support), "asking whether the device is served"));
  if (support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    return std::unexpected(
        counters_absent("CUPTI's profiler does not serve this device in its present configuration "
                        "(SLI, vGPU, confidential computing, WSL or an old chip)"));
  }
  WARPCLOCK_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = device;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiDeviceGetChipName(&chip), "asking for the chip's name"));
  return chip.pChipName == nullptr ? "" : chip.pChipName;
}

/// Which counters this device can provide. A missing permission shows only in this call: enabling and configuring the
/// profiler succeed without it.
Expected<std::vector<std::uint8_t>> availability_of(CUcontext context) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
  params.ctx = context;
  const char* doing = "asking which counters the device has";
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerGetCounterAvailability(&params), doing));
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerGetCounterAvailability(&params), doing));
  return image;
}

class CuptiCounters : public Counters {
 public:
  CuptiCounters(CUcontext context, std::string chip, std::vector<std::uint8_t> availability)
      : context_(context), chip_(std::move(chip)), availability_(std::move(availability)) {}

  std::string chip() const override { return chip_; }
  void rest() override { profiler_.reset(); }

  Expected<std::vector<CounterValues>> collect(const std::vector<std::string>& names,
                                               const std::vector<CountedLaunch>& launches) override {
    if (names.empty() || launches.empty()) return std::vector<CounterValues>(launches.size());
    const auto host = WARPCLOCK_TRY(host_for(names));
    return measure(*host, names, launches);
  }

 private:
  Expected<const MetricHost*> host_for(const std::vector<std::string>& names) {
    const auto known = hosts_.find(names);
    if (known != hosts_.end()) return &known->second;
    auto host = WARPCLOCK_TRY(MetricHost::open(chip_, names, availability_));
    return &hosts_.emplace(names, std::move(host)).first->second;
  }

  Expected<std::vector<CounterValues>> measure(const MetricHost& host, const std::vector<std::string>& names,
                                               const std::vector<CountedLaunch>& launches) {
    // An enabled profiler continues to count its first set into its first number of ranges, whatever it is asked to
    // count next (seen with CUPTI 13.0).
    if (profiler_ && (names != enabled_for_ || launches.size() != enabled_ranges_)) rest();
    if (!profiler_) {
      auto enabled = WARPCLOCK_TRY(RangeProfiler::enable(context_));
      profiler_.emplace(std::move(enabled));
      enabled_for_ = names;
      enabled_ranges_ = launches.size();
    }
    auto values = measure_with(*profiler_, host, names, launches);
    // After an error the state of the profiler is unknown, so the next collection starts with a new one.
    if (!values) rest();
    return values;
  }

  static Expected<std::vector<CounterValues>> measure_with(RangeProfiler& profiler, const MetricHost& host,
                                                           const std::vector<std::string>& names,
                                                           const std::vector<CountedLaunch>& launches) {
    auto image = WARPCLOCK_TRY(profiler.counter_data(names, launches.size()));
    const auto places = WARPCLOCK_TRY(profiler.collect(host, image, launches));
    std::vector<CounterValues> all;
    for (const std::size_t place : places) {
      const auto values = WARPCLOCK_TRY(host.evaluate(image, place));
      CounterValues& named = all.emplace_back();
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!std::isnan(values[i])) named[names[i]] = values[i];
      }
    }
    return all;
  }

  CUcontext context_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::map<std::vector<std::string>, MetricHost> hosts_;
  std::optional<RangeProfiler> profiler_;
  std::vector<std::string> enabled_for_;
  std::size_t enabled_ranges_ = 0;
};

/// A failure to open without a more precise reason means that there are no counters here.
std::unexpected<Error> absent_if_vague(Error error) {
  if (error.code == ErrorCode::Counters) error = counters_absent(error.text);
  return std::unexpected(std::move(error));
}

}  // namespace

Expected<std::unique_ptr<Counters>> Counters::open(CUctx_st* context) {
  if (std::optional<Error> off = counters_switched_off()) return std::unexpected(std::move(*off));
  if (!cupti_library()) return std::unexpected(cupti_library().error());
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, init);
  if (auto done =
          check_cupti(cupti().cuptiProfilerInitialize(&init), "loading CUPTI's profiler (it needs the NVIDIA driver)");
      !done) {
    return absent_if_vague(done.error());
  }
  auto chip = chip_of(context);
  if (!chip) return absent_if_vague(chip.error());
  auto availability = availability_of(context);
  if (!availability) return absent_if_vague(availability.error());
  return std::make_unique<CuptiCounters>(context, std::move(*chip), std::move(*availability));
}

namespace {

void CUPTIAPI keep_cubin(void* cubin, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED) return;
  const auto* resource = static_cast<const CUpti_ResourceData*>(data);
  const auto* loaded = static_cast<const CUpti_ModuleResourceData*>(resource->resourceDescriptor);
  if (loaded == nullptr || loaded->pCubin == nullptr) return;
  static_cast<std::string*>(cubin)->assign(loaded->pCubin, loaded->cubinSize);
}

}  // namespace

Expected<std::string> loaded_code(const std::function<Expected<void>()>& load) {
  if (!cupti_library()) return std::unexpected(cupti_library().error());
  std::string cubin;
  CUpti_SubscriberHandle subscriber = nullptr;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiSubscribe(&subscriber, keep_cubin, &cubin), "subscribing to loaded modules"));
  Expected<void> done = check_cupti(
      cupti().cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
      "subscribing to loaded modules");
  if (done) done = load();
  // The callback writes to a variable of this function, so it must end with it.
  const auto ended = check_cupti(cupti().cuptiUnsubscribe(subscriber), "unsubscribing");
  if (!done) return std::unexpected(done.error());
  if (!ended) return std::unexpected(ended.error());
  if (cubin.empty()) return fail(ErrorCode::Counters, "CUPTI showed no machine code of the module that was loaded");
  return cubin;
}

#else

namespace {

std::unexpected<Error> not_built() {
  return std::unexpected(
      counters_absent("this build of warpclock has no CUPTI (configure with -DWARPCLOCK_CUPTI=ON and "
                      "a CUDA Toolkit 12.6 or newer)"));
}

}  // namespace

Expected<std::unique_ptr<Counters>> Counters::open(CUctx_st*) {
  if (const std::optional<Error> off = counters_switched_off()) return std::unexpected(*off);
  return not_built();
}

bool counters_built() { return false; }

std::string counters_library_missing() { return {}; }

std::vector<std::string> counter_chips() { return {}; }

Expected<std::vector<std::string>> unknown_metrics(const std::string&, const std::vector<std::string>&) {
  return not_built();
}

Expected<std::string> loaded_code(const std::function<Expected<void>()>&) { return not_built(); }

Expected<std::size_t> counter_passes(const std::string&, const std::vector<std::string>&) { return not_built(); }

#endif

}  // namespace warpclock
