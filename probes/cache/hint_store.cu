// The whole GPU reads 8,000,000 bytes 5 times past L1. Between two readings STREAM_MB MB are written, each byte once,
// by stores with the cache operator OP.
#include "probe.cuh"
#include "cache/hint.cuh"

PROBE {
  Window window;
  constexpr u64 hot_bytes = 8000000, rounds = 5;
  const u64 mine = (u64{blockIdx.x} * blockDim.x + threadIdx.x) * 16, step = u64{gridDim.x} * blockDim.x * 16;
  char* stream = args.data + hot_bytes;
  const u32 word = input(args, 0);
  PASSES {
    window.ready(word);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 r = 0; r < rounds; ++r) {
      _Pragma("unroll 1") for (u64 at = mine; at < hot_bytes; at += step) {
        u32 v[4];
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "l"(args.data + at)
                     : "memory");
        window.wait(v);
      }
      __syncthreads();
      _Pragma("unroll 1") for (u64 at = mine; at < u64{STREAM_MB} * 1000000; at += step)
        asm volatile("st.global." OP ".v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(stream + at), "r"(word) : "memory");
      stream += u64{STREAM_MB} * 1000000;
      __syncthreads();
    }
    window.close();
  }
  window.report(args);
}
#undef BEYOND_L1
