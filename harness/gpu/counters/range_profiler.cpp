#if defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/range_profiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <optional>

#include "base/text.hpp"
#include "code/toolkit.hpp"

namespace warpclock {

namespace {

Expected<Cupti> load_cupti() {
  const auto handle = load_library({.name = "libcupti.so",
                                    .built_with = WARPCLOCK_CUPTI_DEFAULT,
                                    .companions = {"libnvperf_host.so", "libnvperf_target.so"}});
  if (!handle) return std::unexpected(counters_absent(handle.error().text));
  Cupti functions;
  const char* missing = nullptr;
#define WARPCLOCK_LOAD(name)                     \
  load_function(*handle, #name, functions.name); \
  if (functions.name == nullptr) missing = #name;
  WARPCLOCK_CUPTI_FUNCTIONS(WARPCLOCK_LOAD)
#undef WARPCLOCK_LOAD
  if (missing != nullptr)
    return std::unexpected(counters_absent(fmt::format("CUPTI has no {}: install CUDA Toolkit 13.0", missing)));
  return functions;
}

const char* name_of(CUptiResult result) {
  const char* name = nullptr;
  return cupti().cuptiGetResultString(result, &name) == CUPTI_SUCCESS && name != nullptr ? name : "unknown CUPTI error";
}

const char* why_absent(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve this virtual GPU";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "CUPTI's profiler does not work under confidential computing";
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve mining cards";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not serve this MIG instance";
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not work with SLI";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "CUPTI's profiler does not work under this WSL";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return "this CUPTI does not know the chip; a newer CUDA Toolkit may";
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_API_NOT_IMPLEMENTED:
      return "CUPTI's profiler does not serve this device or driver";
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler holds this process";
    default:
      return nullptr;
  }
}

}  // namespace

const Expected<Cupti>& cupti_library() {
  static const Expected<Cupti> library = load_cupti();
  return library;
}

Expected<void> check_cupti(CUptiResult result, std::string_view doing) {
  if (result == CUPTI_SUCCESS) return {};
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) return std::unexpected(counters_refused());
  if (result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    return fail("counters-refused",
                "the host of this virtual GPU does not allow profiling: enable it for the virtual machine (vGPU plugin "
                "parameter enable_profiling)");
  }
  const std::string seen = fmt::format("{} ({}) while {}", name_of(result), static_cast<int>(result), doing);
  if (const char* why = why_absent(result)) return std::unexpected(counters_absent(fmt::format("{} [{}]", why, seen)));
  if (result == CUPTI_ERROR_HARDWARE_BUSY) {
    return fail(ErrorCode::Counters,
                fmt::format("another process is profiling this GPU: end it and run again [{}]", seen));
  }
  return fail(ErrorCode::Counters, fmt::format("CUPTI failed: {}", seen));
}

Expected<MetricHost> MetricHost::open(const std::string& chip, const std::vector<std::string>& names,
                                      const std::vector<std::uint8_t>& availability) {
  if (names.empty()) return fail(ErrorCode::CountersUnknown, "no metric was named");
  if (!cupti_library()) return std::unexpected(cupti_library().error());
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, init);
  init.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  init.pChipName = chip.c_str();
  init.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerHostInitialize(&init), fmt::format("looking up chip '{}'", chip)));
  MetricHost host;
  host.object_.reset(init.pHostObject);
  host.names_ = names;

  std::vector<const char*> pointers = name_pointers(names);
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
  add.pHostObject = host.object_.get();
  add.ppMetricNames = pointers.data();
  add.numMetrics = pointers.size();
  const CUptiResult added = cupti().cuptiProfilerHostConfigAddMetrics(&add);
  if (added == CUPTI_ERROR_INVALID_METRIC_NAME || added == CUPTI_ERROR_INVALID_PARAMETER) {
    return fail(ErrorCode::CountersUnknown,
                fmt::format("{} does not have all of the metrics {}", chip, fmt::join(names, ", ")));
  }
  WARPCLOCK_TRY(check_cupti(added, "choosing metrics"));
  WARPCLOCK_TRY(host.schedule());
  return host;
}

Expected<void> MetricHost::schedule() {
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = object_.get();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerHostGetConfigImageSize(&size), "scheduling metrics"));
  config_.resize(size.configImageSize);

  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = object_.get();
  image.configImageSize = config_.size();
  image.pConfigImage = config_.data();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerHostGetConfigImage(&image), "scheduling metrics"));

  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = config_.size();
  passes.pConfigImage = config_.data();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerHostGetNumOfPasses(&passes), "counting passes"));
  passes_ = passes.numOfPasses;
  return {};
}

Expected<std::vector<double>> MetricHost::evaluate(const std::vector<std::uint8_t>& counter_data,
                                                   std::size_t range) const {
  std::vector<const char*> pointers = name_pointers(names_);
  std::vector<double> values(names_.size());
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
  evaluate.pHostObject = object_.get();
  evaluate.pCounterDataImage = counter_data.data();
  evaluate.counterDataImageSize = counter_data.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = pointers.data();
  evaluate.numMetrics = pointers.size();
  evaluate.pMetricValues = values.data();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiProfilerHostEvaluateToGpuValues(&evaluate), "evaluating metrics"));
  return values;
}

void MetricHost::Deinitialize::operator()(CUpti_Profiler_Host_Object* object) const {
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = object;
  (void)cupti().cuptiProfilerHostDeinitialize(&params);
}

bool counters_built() { return true; }

std::string counters_library_missing() { return cupti_library() ? "" : cupti_library().error().text; }

std::vector<std::string> counter_chips() {
  if (!cupti_library()) return {};
  WARPCLOCK_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
  if (cupti().cuptiProfilerHostGetSupportedChips(&params) != CUPTI_SUCCESS) return {};
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

Expected<std::vector<std::string>> unknown_metrics(const std::string& chip, const std::vector<std::string>& metrics) {
  if (metrics.empty() || MetricHost::open(chip, metrics)) return {};
  std::vector<std::string> unknown;
  for (const std::string& metric : metrics) {
    // One host for each name: after a name that it rejects, a host rejects every name (seen with CUPTI 13.0).
    const auto host = MetricHost::open(chip, {metric});
    if (host) continue;
    if (host.error().code != ErrorCode::CountersUnknown) return std::unexpected(host.error());
    unknown.push_back(metric);
  }
  return unknown;
}

Expected<std::size_t> counter_passes(const std::string& chip, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return 0;
  const auto host = WARPCLOCK_TRY(MetricHost::open(chip, metrics));
  return host.passes();
}

namespace {

/// A session from start to stop. It also stops after an error, so that the context is no longer profiled.
class Session {
 public:
  static Expected<Session> start(CUpti_RangeProfiler_Object* object) {
    WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = object;
    WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerStart(&params), "starting a counter pass"));
    return Session(object);
  }

  /// Whether this was the last pass needed.
  Expected<bool> stop() {
    WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = object_.release();
    WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerStop(&params), "ending a counter pass"));
    return params.isAllPassSubmitted != 0;
  }

 private:
  struct Stop {
    void operator()(CUpti_RangeProfiler_Object* object) const {
      WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
      params.pRangeProfilerObject = object;
      (void)cupti().cuptiRangeProfilerStop(&params);
    }
  };

  explicit Session(CUpti_RangeProfiler_Object* object) : object_(object) {}

  std::unique_ptr<CUpti_RangeProfiler_Object, Stop> object_;
};

CUptiResult pop(CUpti_RangeProfiler_Object* object) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
  params.pRangeProfilerObject = object;
  return cupti().cuptiRangeProfilerPopRange(&params);
}

/// A range is named by the index of its launch.
std::string range_name(std::size_t place) { return std::to_string(place); }

/// The launch index in the last part of a path of range names.
std::optional<std::size_t> place_of(std::string_view path) {
  return whole_number<std::size_t>(path.substr(path.rfind('/') + 1));
}

Expected<void> counted(CUpti_RangeProfiler_Object* object, const std::string& name,
                       const std::function<Expected<void>()>& launch) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, push);
  push.pRangeProfilerObject = object;
  push.pRangeName = name.c_str();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerPushRange(&push), "opening a counter range"));
  Expected<void> launched = launch();
  const CUptiResult popped = pop(object);
  if (!launched) return launched;
  return check_cupti(popped, "closing a counter range");
}

}  // namespace

Expected<RangeProfiler> RangeProfiler::enable(CUctx_st* context) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, params);
  params.ctx = context;
  WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerEnable(&params), "enabling the range profiler"));
  RangeProfiler profiler;
  profiler.object_.reset(params.pRangeProfilerObject);
  return profiler;
}

Expected<std::vector<std::uint8_t>> RangeProfiler::counter_data(const std::vector<std::string>& names,
                                                                std::size_t ranges) const {
  std::vector<const char*> pointers = name_pointers(names);
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = object_.get();
  size.pMetricNames = pointers.data();
  size.numMetrics = pointers.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerGetCounterDataSize(&size), "sizing the counter image"));
  std::vector<std::uint8_t> image(size.counterDataSize);
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, init);
  init.pRangeProfilerObject = object_.get();
  init.counterDataSize = image.size();
  init.pCounterData = image.data();
  WARPCLOCK_TRY(
      check_cupti(cupti().cuptiRangeProfilerCounterDataImageInitialize(&init), "preparing the counter image"));
  return image;
}

Expected<std::vector<std::size_t>> RangeProfiler::collect(const MetricHost& host, std::vector<std::uint8_t>& image,
                                                          const std::vector<CountedLaunch>& launches) {
  WARPCLOCK_TRY(configure(host, image, launches.size()));
  // A device that shares its counters may need more passes than the host expects, but not without limit.
  const std::size_t most = 4 * host.passes() + 4;
  for (std::size_t i = 0; i < most; ++i) {
    const auto last = WARPCLOCK_TRY(pass(launches));
    // A profiler that stays enabled also reports the last pass of the previous set here.
    if (last && i + 1 >= host.passes()) return decode(image, launches.size());
  }
  return fail(ErrorCode::Counters,
              fmt::format("CUPTI asked for more than {} passes where {} were scheduled", most, host.passes()));
}

Expected<void> RangeProfiler::configure(const MetricHost& host, std::vector<std::uint8_t>& image, std::size_t ranges) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, params);
  params.pRangeProfilerObject = object_.get();
  params.configSize = host.config().size();
  params.pConfig = host.config().data();
  params.counterDataImageSize = image.size();
  params.pCounterDataImage = image.data();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = ranges;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  return check_cupti(cupti().cuptiRangeProfilerSetConfig(&params), "configuring the range profiler");
}

Expected<bool> RangeProfiler::pass(const std::vector<CountedLaunch>& launches) {
  auto session = WARPCLOCK_TRY(Session::start(object_.get()));
  for (std::size_t i = 0; i < launches.size(); ++i) {
    // After the session starts and right before the range, so that as little as possible touches the caches in between.
    if (launches[i].prepare) WARPCLOCK_TRY(launches[i].prepare());
    WARPCLOCK_TRY(counted(object_.get(), range_name(i), launches[i].launch));
  }
  return session.stop();
}

Expected<std::vector<std::size_t>> RangeProfiler::decode(const std::vector<std::uint8_t>& image, std::size_t ranges) {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decoded);
  decoded.pRangeProfilerObject = object_.get();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerDecodeData(&decoded), "decoding counters"));
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image.data();
  info.counterDataImageSize = image.size();
  WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerGetCounterDataInfo(&info), "reading the counter image"));
  if (decoded.numOfRangeDropped != 0 || info.numTotalRanges != ranges) {
    return fail(ErrorCode::Counters, fmt::format("CUPTI counted {} ranges and dropped {} where there were {}",
                                                 info.numTotalRanges, decoded.numOfRangeDropped, ranges));
  }
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> places(ranges, nowhere);
  for (std::size_t at = 0; at < ranges; ++at) {
    WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, range);
    range.pCounterDataImage = image.data();
    range.counterDataImageSize = image.size();
    range.rangeIndex = at;
    range.rangeDelimiter = "/";
    WARPCLOCK_TRY(check_cupti(cupti().cuptiRangeProfilerCounterDataGetRangeInfo(&range), "reading a range's name"));
    const auto place = place_of(range.rangeName == nullptr ? "" : range.rangeName);
    if (place && *place < ranges && places[*place] == nowhere) places[*place] = at;
  }
  for (std::size_t place = 0; place < ranges; ++place) {
    if (places[place] == nowhere)
      return fail(ErrorCode::Counters, fmt::format("CUPTI lost the counter range {}", place));
  }
  return places;
}

void RangeProfiler::Disable::operator()(CUpti_RangeProfiler_Object* object) const {
  WARPCLOCK_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = object;
  (void)cupti().cuptiRangeProfilerDisable(&params);
}

}  // namespace warpclock

#endif
