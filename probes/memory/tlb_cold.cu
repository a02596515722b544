// N dependent loads, past L1, of lines in L2, each in another page; neighbouring pages are APART pages apart. STATE
// `met`: before each pass the same warp has read these lines, and then args.at other lines, BY `pages`: each in its own
// page, which evicts translations, or BY `lines`: all in one page, which keeps them. STATE `first`: this launch has not
// used the pages at all. The first launch, which is not recorded, stores 16 chains through the same pages and reads
// them; each launch uses one of them, starting at another page. The chase continues from pass to pass, to other pages.
#include "probe.cuh"

#undef HOP
#define HOP(p) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p))

PROBE {
  constexpr u32 slots = 64, rings = 16;
  Window window;
  const u64 first_page = reinterpret_cast<u64>(args.data) + PAGE;
  const auto line = [](u32 i) { return i * 33 * 128 % PAGE; };  // the factor is odd, so that no two are the same
  const auto address = [&](u32 ring, u32 slot) {
    return first_page + u64{slot} * APART * PAGE + line(ring * slots + slot);
  };
  u32* const stored = reinterpret_cast<u32*>(args.data + args.data_bytes) - 1;
  u32 before;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(before) : "l"(stored) : "memory");
  u64 seen = 0;
  if (before == 0) {
    for (u32 i = lane(); i < slots * rings; i += 32)
      asm volatile("st.global.u64 [%0], %1;"
                   ::"l"(address(i / slots, i % slots)), "l"(address(i / slots, (i + 27) % slots)) : "memory");
    __threadfence();
    __syncwarp();
    for (u32 i = lane(); i < slots * rings; i += 32) {
      u64 q = address(i / slots, i % slots);
      HOP(q);
      seen ^= q;
    }
    *stored = 1;
  }
  const u64 launch = launch_hash(args);
  const u32 ring = launch % rings;
  u64 p = address(ring, launch / rings % slots) + (seen & args.zero) + (lane() & args.zero);
  PASSES {
#ifdef STATE_met
    for (u32 slot = lane(); slot < slots; slot += 32) {
      u64 q = address(ring, slot);
      HOP(q);
      seen ^= q;
    }
    // Depends on the loads before; otherwise ptxas would interleave the two.
    const u64 others = first_page + u64{slots} * APART * PAGE + (seen & args.zero);
    _Pragma("unroll 8") for (u32 i = lane(); i < args.at; i += 32) {
#ifdef BY_pages
      u64 q = others + u64{i} * PAGE + line(i);
#else
      u64 q = others + i * 128 % PAGE;
#endif
      HOP(q);
      seen ^= q;
    }
    p += seen & args.zero;
    __syncwarp();
#endif
    TIMED_HOPS(p);
  }
  window.report(args);
}
