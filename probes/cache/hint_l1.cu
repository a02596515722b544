// One block reads 64 KiB 26 times. Between two readings STREAM_KB KiB that are never read again pass through the same
// L1. The hint is on the loads of the hot data or of the stream. All other lines come from wherever the launch before
// left them.
#include "probe.cuh"
#include "cache/hint.cuh"

PROBE {
  Window window;
  constexpr u32 hot_bytes = 64 * 1024, rounds = 26;
  const char* hot = args.data + threadIdx.x * 16;
  const char* stream = hot + hot_bytes;
  const u64 policy = hint_policy();
  PASSES {
    window.ready(reinterpret_cast<u64>(hot));
    window.ready(policy);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 r = 0; r < rounds; ++r) {
      _Pragma("unroll 1") for (u32 at = 0; at < hot_bytes; at += blockDim.x * 16) {
        u32 v[4];
        HOT_LOAD(v, hot + at, policy);
        window.wait(v);
      }
      __syncthreads();
      _Pragma("unroll 1") for (u32 at = 0; at < STREAM_KB * 1024; at += blockDim.x * 16) {
        u32 v[4];
        STREAM_LOAD(v, stream, policy);
        window.wait(v);
        stream += blockDim.x * 16;
      }
      __syncthreads();
    }
    window.close();
  }
  window.report(args);
}
#undef BEYOND_L1
