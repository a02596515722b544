// Two loads by PATH, the second args.at bytes behind the first, of a block of bytes that no cache holds: what the second
// takes says how near the first has brought its bytes along. The window holds the second load alone. Every launch pairs
// the SMs with other bytes. They are not loaded by .cg first, to have them in L2: for microseconds after that L1 keeps
// nothing of the line (seen on sm_90, where a second .ca load of the same word still takes what L2 takes).
#include "probe.cuh"

PROBE {
  Window window;
  const u64 places = args.data_bytes / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    const char* p = args.data + (first_place + u64{pass} * gridDim.x + blockIdx.x) % places * 4096;
    u32 first, v;
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
