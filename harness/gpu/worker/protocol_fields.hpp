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

void describe(auto& a, Like<Launch> auto& v) {
  WARPCLOCK_REQUIRED(blocks, blocks_per_sm, warps, cluster, shared_bytes, carveout, persisting, hit_ratio, warmups,
                     launches, by);
}

void describe(auto& a, Like<Tensor> auto& v) {
  WARPCLOCK_REQUIRED(type, dims, box, swizzle, interleave, promotion, oob, lower, upper, channels, pixels);
}

void describe(auto& a, Like<Data> auto& v) { WARPCLOCK_REQUIRED(bytes, fill, stride, cold, peer, tensor, texel); }

void describe(auto& a, Like<JobKernel> auto& v) {
  WARPCLOCK_REQUIRED(n, symbol, steps);
  WARPCLOCK_OPTIONAL(warps, cubin_path, further_passes, blocks_per_sm, at, launches,
                     part);  // jobs have thousands of kernels
}

void describe(auto& a, Like<CallArgument> auto& v) { WARPCLOCK_REQUIRED(bytes, type, fill, value); }

void describe(auto& a, Like<LibraryGemm> auto& v) { WARPCLOCK_REQUIRED(m, n, k); }

void describe(auto& a, Like<Call> auto& v) {
  WARPCLOCK_REQUIRED(symbol, grid, block, shared_bytes, cold, launches, arguments, library);
}

void describe(auto& a, Like<JobContents> auto& v) { WARPCLOCK_REQUIRED(from, to, begin, end, constants); }

void describe(auto& a, Like<Job> auto& v) {
  WARPCLOCK_REQUIRED(id, cubin_path, kernels, launch, data, at, facts, places, longest, counters, at_once, once,
                     at_step, timed, prepared, counted_together, counted_with, call);
  WARPCLOCK_OPTIONAL(ptx_path, contents);
}

void describe(auto& a, Like<LibraryTimes> auto& v) { WARPCLOCK_REQUIRED(version, us, missing); }

void describe(auto& a, Like<Observation> auto& v) {
  WARPCLOCK_REQUIRED(samples, facts, places, digests, counters, counted, counters_missing, clock, call_us, empty_us,
                     library);
  WARPCLOCK_OPTIONAL(jit_us, load_us, timer, board_w);
}

void describe(auto& a, Like<HelloEvent> auto& v) {
  WARPCLOCK_REQUIRED(device, counters_missing, others, wait_us, pause_us);
}

void describe(auto& a, Like<ResultEvent> auto& v) { WARPCLOCK_REQUIRED(id, observation); }

void describe(auto& a, Like<ErrorEvent> auto& v) { WARPCLOCK_REQUIRED(id, error); }

void describe(auto& a, Like<FatalEvent> auto& v) { WARPCLOCK_REQUIRED(error); }

}  // namespace warpclock
