// N dependent loads by PATH of lines of a hot set of HOT_KIB KiB, in the order of a ring, after the same warp has read
// the set and then args.at bytes of something else with the same loads. Every pass streams other bytes.
#include "probe.cuh"
#include "policy/ring.cuh"
#undef HOP
#define HOP(p) asm volatile("ld.global." PATH ".u64 %0, [%0];" : "+l"(p))

PROBE {
  Window window;
  constexpr u32 lines = HOT_KIB * 8;
  for (u32 line = lane(); line < lines; line += 32) {
    const u64 next = address_after(args, line, lines);
    asm volatile("st.global.u64 [%0], %1;" ::"l"(args.data + u64{line} * 128), "l"(next) : "memory");
  }
  __syncwarp();
  u64 p = first_line(args, lines);
  PASSES {
    u64 seen = 0;
    for (u32 line = lane(); line < lines; line += 32) {
      u64 q = reinterpret_cast<u64>(args.data) + u64{line} * 128;
      HOP(q);
      seen ^= q;
    }
    const u64 other = reinterpret_cast<u64>(args.data) + (1 << 20) + u64{pass} * args.at + (seen & args.zero);
    for (u64 at = lane() * 128; at < args.at; at += 32 * 128) {
      u64 q = other + at;
      HOP(q);
      seen ^= q;
    }
    p += seen & args.zero;
    __syncwarp();
    TIMED_HOPS(p);
  }
  window.report(args);
}
