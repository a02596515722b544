// The whole GPU reads 8,000,000 bytes 5 times past L1. Between two readings STREAM_MB MB that are never read again pass
// through L2. The hint is on the loads of the hot data or of the stream.
#include "probe.cuh"
#define BEYOND_L1 ".cg"
#include "cache/hint.cuh"

PROBE {
  Window window;
  constexpr u64 hot_bytes = 8000000, rounds = 5;
  const u64 mine = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * 16, step = u64{gridDim.x} * blockDim.x * 16;
  const char* stream = args.data + hot_bytes;
  const u64 policy = hint_policy();
  PASSES {
    window.ready(policy);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 r = 0; r < rounds; ++r) {
      _Pragma("unroll 1") for (u64 at = mine; at < hot_bytes; at += step) {
        u32 v[4];
        HOT_LOAD(v, args.data + at, policy);
        window.wait(v);
      }
      __syncthreads();
      _Pragma("unroll 1") for (u64 at = mine; at < u64{STREAM_MB} * 1000000; at += step) {
        u32 v[4];
        STREAM_LOAD(v, stream + at, policy);
        window.wait(v);
      }
      stream += u64{STREAM_MB} * 1000000;
      __syncthreads();
    }
    window.close();
  }
  window.report(args);
}
#undef BEYOND_L1
