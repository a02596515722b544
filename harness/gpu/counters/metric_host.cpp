#if defined(WARPCLOCK_HAVE_CUPTI)

#include "gpu/counters/metric_host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu/counters/counters.hpp"
#include "gpu/counters/cupti_library.hpp"

namespace warpclock {

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

}  // namespace warpclock

#endif
