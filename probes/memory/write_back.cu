// A store of one word and, 2048 cycles later, a load by PATH of a word args.at bytes behind it, in a block of bytes
// that the level under test had before (`held`) or had not. The window holds the load alone: what it takes says where
// the store has left its own word, and its neighbours. Every launch pairs the SMs with other bytes.
#include "probe.cuh"

PROBE {
  Window window;
  __shared__ float start;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  start = a;
  __syncthreads();
  const u64 places = (args.data_bytes - 65536) / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    char* p = args.data + 65536 + (first_place + u64{pass} * gridDim.x + blockIdx.x) % places * 4096;
    u32 first = pass, v;
#ifdef BEFORE_held
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(first) : "l"(p) : "memory");
    window.ready(first);
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(first) : "l"(p + args.at) : "memory");
    window.ready(first);
#endif
    window.ready(a);
    window.ready(b);
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(first) : "memory");
    // The delay begins with a value read behind a barrier, or ptxas would put it before the access.
    __syncthreads();
    float delay;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(delay) : "r"(shared_address(&start)) : "memory");
    _Pragma("unroll 1") for (int r = 0; r < 8; ++r)
      UNROLL for (int i = 0; i < 64; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(delay) : "f"(a), "f"(b));
    window.ready(delay);
    const char* second = p + args.at + (first & args.zero);
    window.ready(reinterpret_cast<u64>(second));
    window.open();
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(v) : "l"(second) : "memory");
    window.wait(v);
    window.close();
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(second));
  }
  window.report(args);
}
