#pragma once

#include "gpu/device/fields.hpp"
#include "gpu/job/job.hpp"
#include "gpu/worker/protocol.hpp"

namespace warpclock {

// The JSON keys of what only the protocol carries, described as in gpu/device/fields.hpp.

template <class Archive, Like<Launch> T>
void describe(Archive& a, T& v) {
  a.required("blocks", v.blocks);
  a.required("blocks_per_sm", v.blocks_per_sm);
  a.required("warps", v.warps);
  a.required("cluster", v.cluster);
  a.required("shared_bytes", v.shared_bytes);
  a.required("carveout", v.carveout);
  a.required("persisting", v.persisting);
  a.required("hit_ratio", v.hit_ratio);
  a.required("warmups", v.warmups);
  a.required("launches", v.launches);
  a.required("by", v.by);
}

template <class Archive, Like<Tensor> T>
void describe(Archive& a, T& v) {
  a.required("type", v.type);
  a.required("dims", v.dims);
  a.required("box", v.box);
  a.required("swizzle", v.swizzle);
  a.required("interleave", v.interleave);
  a.required("promotion", v.promotion);
  a.required("oob", v.oob);
  a.required("lower", v.lower);
  a.required("upper", v.upper);
  a.required("channels", v.channels);
  a.required("pixels", v.pixels);
}

template <class Archive, Like<Data> T>
void describe(Archive& a, T& v) {
  a.required("bytes", v.bytes);
  a.required("fill", v.fill);
  a.required("stride", v.stride);
  a.required("cold", v.cold);
  a.required("peer", v.peer);
  a.required("tensor", v.tensor);
  a.required("texel", v.texel);
}

template <class Archive, Like<JobKernel> T>
void describe(Archive& a, T& v) {
  a.required("n", v.n);
  a.required("symbol", v.symbol);
  a.required("warps", v.warps);
  a.required("cubin_path", v.cubin_path);
  a.required("further_passes", v.further_passes);
  a.required("blocks_per_sm", v.blocks_per_sm);
  a.required("at", v.at);
  a.required("steps", v.steps);
}

template <class Archive, Like<CallArgument> T>
void describe(Archive& a, T& v) {
  a.required("bytes", v.bytes);
  a.required("type", v.type);
  a.required("fill", v.fill);
  a.required("value", v.value);
}

template <class Archive, Like<Call> T>
void describe(Archive& a, T& v) {
  a.required("symbol", v.symbol);
  a.required("grid", v.grid);
  a.required("block", v.block);
  a.required("shared_bytes", v.shared_bytes);
  a.required("cold", v.cold);
  a.required("launches", v.launches);
  a.required("arguments", v.arguments);
}

template <class Archive, Like<Job> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("cubin_path", v.cubin_path);
  a.required("kernels", v.kernels);
  a.required("launch", v.launch);
  a.required("data", v.data);
  a.required("at", v.at);
  a.required("facts", v.facts);
  a.required("places", v.places);
  a.required("counters", v.counters);
  a.required("at_once", v.at_once);
  a.required("once", v.once);
  a.required("at_step", v.at_step);
  a.required("timed", v.timed);
  a.required("prepared", v.prepared);
  a.required("counted_together", v.counted_together);
  a.required("counted_with", v.counted_with);
  a.required("call", v.call);
}

template <class Archive, Like<Observation> T>
void describe(Archive& a, T& v) {
  a.required("samples", v.samples);
  a.required("facts", v.facts);
  a.required("places", v.places);
  a.required("digests", v.digests);
  a.required("counters", v.counters);
  a.required("counted", v.counted);
  a.required("counters_missing", v.counters_missing);
  a.required("clock", v.clock);
  a.required("call_us", v.call_us);
  a.required("empty_us", v.empty_us);
}

template <class Archive, Like<HelloEvent> T>
void describe(Archive& a, T& v) {
  a.required("device", v.device);
  a.required("counters_missing", v.counters_missing);
  a.required("others", v.others);
  a.required("wait_us", v.wait_us);
}

template <class Archive, Like<ResultEvent> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("observation", v.observation);
}

template <class Archive, Like<ErrorEvent> T>
void describe(Archive& a, T& v) {
  a.required("id", v.id);
  a.required("error", v.error);
}

template <class Archive, Like<FatalEvent> T>
void describe(Archive& a, T& v) {
  a.required("error", v.error);
}

}  // namespace warpclock
