// A store of one word and, 2048 cycles later, a load by PATH of a word args.at bytes behind it, in a block of bytes
// that the level under test had before (`held`) or had not. The window holds the load alone: what it takes says where
// the store has left its own word, and its neighbours. Every launch pairs the SMs with other bytes.
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
    // The address outlives the window, or the load would overwrite it and so wait for the access before it.
    window.ready(reinterpret_cast<u64>(second));
  }
  window.report(args);
}
