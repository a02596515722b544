// A load with an L2 prefetch size and, 4096 cycles later, a load OFFSET bytes further in the same 256-byte block, which
// was only in DRAM. The window holds only the second load.
#include "probe.cuh"
#include "memory/delay.cuh"

#undef FIRST_LOAD
#ifdef SIZE_none
#define FIRST_LOAD "ld.global.u32"
#else
#define FIRST_LOAD "ld.global.L2::" SIZE ".u32"
#endif

PROBE {
  Window window;
  const Delay delay(args);
  const u64 places = args.data_bytes / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    // Starts from the end, because input() reads at the beginning.
    const char* p = args.data + (places - (first_place + u64{pass} * gridDim.x + blockIdx.x) % places) * 4096;
    u32 first, v;
    asm volatile(FIRST_LOAD " %0, [%1];" : "=r"(first) : "l"(p) : "memory");
    window.ready(first);
    window.ready(delay.of_trips(16, first));
    window.ready(reinterpret_cast<u64>(p));
    window.open();
    asm volatile("ld.global.u32 %0, [%1 + %2];" : "=r"(v) : "l"(p), "n"(OFFSET) : "memory");
    window.wait(v);
    window.close();
    // Keeps the address alive: a load that overwrote it would wait for the previous access to its register.
    window.ready(reinterpret_cast<u64>(p));
  }
  window.report(args);
}
