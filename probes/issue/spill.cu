// N trips, in each of which every thread stores WORDS words to its local memory and loads them back, STEPS times, as if
// registers had run out. Each of the two addresses is a sum with an unknown zero, because ptxas would otherwise take a
// word from the register that still holds it. The words are apart, because it would otherwise store several at a time.
#include "probe.cuh"
#include "issue/trips.cuh"

PROBE {
  char room[WORDS * 8];
  Window window;
  u64 base;
  asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(base) : "l"(room));
  PASSES {
    u32 v[WORDS];
    UNROLL for (int i = 0; i < WORDS; ++i) v[i] = input(args, i);
    const u32 p = static_cast<u32>(base) + (input(args, WORDS) & args.zero);
    const u32 q = static_cast<u32>(base) + (input(args, WORDS + 1) & args.zero);
    float left = trips();
    window.ready(v);
    window.ready(p);
    window.ready(q);
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int n = 0; n < STEPS; ++n) {
        UNROLL for (int i = 0; i < WORDS; ++i) asm volatile("st.local.u32 [%0], %1;" ::"r"(p + i * 8), "r"(v[i]));
        UNROLL for (int i = 0; i < WORDS; ++i) asm volatile("ld.local.u32 %0, [%1];" : "=r"(v[i]) : "r"(q + i * 8));
      }
    } while (again(left));
    window.wait(v);
    window.close();
  }
  window.report(args);
}
