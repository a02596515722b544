#pragma once

#include <string>
#include <vector>

#include "base/words.hpp"
#include "gpu/device/fields.hpp"
#include "gpu/job/job.hpp"
#include "gpu/worker/protocol.hpp"

namespace warpclock {

// The JSON keys of what only the protocol carries, and the words of its enumerations.

template <>
inline const std::vector<std::string>& enum_words<Fill> = fill_names();
template <>
inline const std::vector<std::string>& enum_words<Places> = places_names();
template <>
inline const std::vector<std::string>& enum_words<LaunchBy> = launch_by_names();
template <>
inline const std::vector<std::string>& enum_words<CallFill> = call_fill_names();
template <>
inline const std::vector<std::string>& enum_words<CallType> = call_type_names();

template <class Archive, Like<Launch> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(blocks, blocks_per_sm, warps, cluster, shared_bytes, carveout, persisting, hit_ratio, warmups,
                     launches, by);
}

template <class Archive, Like<Tensor> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(type, dims, box, swizzle, interleave, promotion, oob, lower, upper, channels, pixels);
}

template <class Archive, Like<Data> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(bytes, fill, stride, cold, peer, tensor, texel);
}

template <class Archive, Like<JobKernel> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(n, symbol, steps);
  WARPCLOCK_OPTIONAL(warps, cubin_path, further_passes, blocks_per_sm, at, launches);  // jobs have thousands of kernels
}

template <class Archive, Like<CallArgument> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(bytes, type, fill, value);
}

template <class Archive, Like<LibraryGemm> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(m, n, k);
}

template <class Archive, Like<Call> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(symbol, grid, block, shared_bytes, cold, launches, arguments, library);
}

template <class Archive, Like<Job> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, cubin_path, kernels, launch, data, at, facts, places, longest, counters, at_once, once,
                     at_step, timed, prepared, counted_together, counted_with, call);
  WARPCLOCK_OPTIONAL(ptx_path);
}

template <class Archive, Like<LibraryTimes> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(version, us, missing);
}

template <class Archive, Like<Observation> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(samples, facts, places, digests, counters, counted, counters_missing, clock, call_us, empty_us,
                     library);
  WARPCLOCK_OPTIONAL(jit_us, load_us);
}

template <class Archive, Like<HelloEvent> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(device, counters_missing, others, wait_us);
}

template <class Archive, Like<ResultEvent> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, observation);
}

template <class Archive, Like<ErrorEvent> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(id, error);
}

template <class Archive, Like<FatalEvent> T>
void describe(Archive& a, T& v) {
  WARPCLOCK_REQUIRED(error);
}

}  // namespace warpclock
