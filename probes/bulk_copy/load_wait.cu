// N trips: announce args.at bytes, copy them from L2, ask for the phase by WAIT until it is over, and at most a million
// times.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

#undef ASK
#if defined(WAIT_test_wait)
#define ASK "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;"
#elif defined(WAIT_try_wait)
#define ASK "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;"
#else
#define ASK "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 10000000;"
#endif

PROBE {
  extern __shared__ __align__(128) char buffer[];
  __shared__ u64 word;
  Window window;
  u32 to = shared_address(buffer), barrier = shared_address(&word);
  const u32 bytes = static_cast<u32>(args.at);
  const u64 from = reinterpret_cast<u64>(args.data);
  u32 late = none_late(args), parity = 0, most = 0;
  set_up(barrier, 1);
  if (!elected()) return;
  PASSES {
    window.ready(from);
    window.ready(to);
    window.ready(late);
    window.ready(parity);
    most = late;
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      expect(barrier, bytes);
      bulk_load(to, from, bytes, barrier);
      u32 over, tries = 0;
      do {
        asm volatile("{ .reg .pred p; " ASK " selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
      } while (!over && ++tries < 1000000);
      late += !over;
      most = tries > most ? tries : most;
      parity ^= 1;
      // Carried from trip to trip, or ptxas would make the addresses anew in each, with an S2UR.
      to += args.zero;
      barrier += args.zero;
    }
    window.wait(late);
    window.wait(most);
    window.close();
  }
  count_fact(args, 0, late);
  fact(args, 1, most + 1);
  window.report(args);
}
