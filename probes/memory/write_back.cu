// A store of one word and, 2048 cycles later, a load by PATH of a word args.at bytes after it, in a block of bytes that
// the level under test held before (`held`) or not. The window holds only the load: its time shows where the store has
// left its own word and the neighbouring ones. Every launch pairs the SMs with other bytes.
#include "probe.cuh"
#include "memory/delay.cuh"

PROBE {
  Window window;
  const Delay delay(args);
  const u64 places = (args.data_bytes - 65536) / 4096 - 1, first_place = launch_hash(args);
  PASSES {
    char* p = args.data + 65536 + (first_place + u64{pass} * gridDim.x + blockIdx.x) % places * 4096;
    u32 first = pass, v;
#ifdef BEFORE_held
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(first) : "l"(p) : "memory");
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(first) : "l"(behind(p + args.at, first, args)) : "memory");
#endif
    asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(first) : "memory");
    window.ready(delay.of_trips(8, first));
    const char* second = behind(p + args.at, first, args);
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
