// A box of ROWS rows of 256 bytes that only DRAM holds: prefetched into L2 by cp.async.bulk.prefetch.tensor, or not
// (KIND none), and DISTANCE cycles later the last 16 bytes of it loaded. The window holds the load alone; the distance
// is a chain of FFMAs of 4 cycles each.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  Window window;
  __shared__ float start;
  const float a = __uint_as_float(input(args, 0)), b = __uint_as_float(input(args, 1));
  const u64 map = tensor_map(args);
  start = a;
  __syncthreads();
  BULK_PASSES {
    const u32 row = (pass + 1) * 1024;
    const char* p = args.data + (row + ROWS) * 256 - 16 + (lane() & args.zero);
    u32 v[4];
    window.ready(a);
    window.ready(b);
    window.ready(reinterpret_cast<u64>(p));
#ifdef KIND_tensor
    if (elected()) tensor_prefetch(map, row, args.zero);
#endif
    // The delay begins with a value read behind a barrier, or ptxas would put it before the prefetch.
    __syncthreads();
    float delay;
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(delay) : "r"(shared_address(&start)) : "memory");
    UNROLL for (int i = 0; i < DISTANCE / 4; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(delay) : "f"(a), "f"(b));
    window.ready(delay);
    window.open();
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(p)
                 : "memory");
    window.wait(v);
    window.close();
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
