// N dependent loads from local memory, through addresses that the thread itself has stored there: a ring of 32-bit
// words STRIDE bytes apart in the first args.at bytes of its 2 KiB. A line holds the same word of all 32 lanes.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld.local.u32 %0, [%0];" : "+r"(p))

PROBE {
  char room[2048];
  Window window;
  u64 base;
  asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(base) : "l"(room));
  const u32 bytes = args.at ? static_cast<u32>(args.at) : 1024;
  u32 p = static_cast<u32>(base);
  _Pragma("unroll 1") for (u32 at = 0; at < bytes; at += STRIDE)
    asm volatile("st.local.u32 [%0], %1;" ::"r"(p + at), "r"(p + (at + STRIDE < bytes ? at + STRIDE : 0)) : "memory");
  _Pragma("unroll 1") for (u32 at = 0; at < bytes; at += STRIDE) HOP(p);
  PASSES { TIMED_HOPS(p); }
  window.report(args);
}
