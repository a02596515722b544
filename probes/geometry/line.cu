// Two loads by PATH, the second args.at bytes behind the first, of a block of bytes that nothing nearer than the level
// under test holds: what the second takes says whether the first has brought its bytes along. The window holds the
// second load alone. Every launch pairs the SMs with other bytes.
#include "probe.cuh"

PROBE {
  Window window;
  const u64 places = args.data_bytes / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    const char* p = args.data + (first_place + u64{pass} * gridDim.x + blockIdx.x) % places * 4096;
    u32 first, v;
#ifdef FROM_l2
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(first) : "l"(p + args.at) : "memory");
    window.ready(first);
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(first) : "l"(p) : "memory");
    window.ready(first);
#endif
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(first) : "l"(p) : "memory");
    window.ready(first);
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
