// Two loads by PATH from a block of bytes that no cache holds, the second args.at bytes after the first. The time of
// the second shows whether the first brought its bytes along, and how near. The window holds only the second load.
// Every launch pairs the SMs with other bytes. The bytes are not loaded into L2 by .cg first, because for microseconds
// after that L1 keeps nothing of the line (seen on sm_90, where a second .ca load of the same word still takes as long
// as from L2).
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
    // Keeps the address alive: a load that overwrote it would wait for the previous access to its register.
    window.ready(reinterpret_cast<u64>(second));
  }
  window.report(args);
}
