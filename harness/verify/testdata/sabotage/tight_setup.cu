// A prefetch that waits for the load before it, and the whole delay behind it: what the leaky set-up should be.
#include "probe.cuh"

PROBE {
  Window window;
  __shared__ float start;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  start = a;
  __syncthreads();
  const u64 places = args.data_bytes / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    const char* p = args.data + (places - (first_place + u64{pass} * gridDim.x + blockIdx.x) % places) * 4096;
    u32 v;
    window.ready(a);
    window.ready(b);
    window.ready(reinterpret_cast<u64>(p));
    u32 other;
    asm volatile("ld.global.cg.u32 %0, [%1 + 2048];" : "=r"(other) : "l"(p) : "memory");
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p + (other & args.zero)) : "memory");
    __syncthreads();
    float delay;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(delay) : "r"(shared_address(&start)) : "memory");
    UNROLL for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(delay) : "f"(a), "f"(b));
    window.ready(delay);
    window.open();
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    window.wait(v);
    window.close();
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
