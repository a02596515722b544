// N trips: announce args.at bytes, copy them from L2, and query the phase by WAIT until it is complete, at most a
// million times. Every trip copies other bytes, the same in each pass, and different in every launch and block; the
// blocks run one after another.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/turn.cuh"

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
  constexpr u32 step = 128 * 1024 + 33 * 128;  // between trips; not a power of two, because such lines may share slices
  const u64 room = (args.data_bytes - u64{N} * step) / 128;
  const u64 first = reinterpret_cast<u64>(args.data) + (launch_hash(args) + room * blockIdx.x / gridDim.x) % room * 128;
  u32 late = none_late(args), parity = 0, most = 0;
  set_up(barrier, 1);
  await_turn(args, blockIdx.x, args.passes * N * (2 + bytes / 32768));
  if (!elected()) return;
  PASSES {
    u64 from = first;
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
      // Carried from trip to trip; otherwise ptxas would compute the addresses again in each trip, with an S2UR.
      from += step + args.zero;
      to += args.zero;
      barrier += args.zero;
    }
    window.wait(late);
    window.wait(most);
    window.close();
  }
  count_fact(args, 0, late);
  atomicMax(args.facts + 1, most + 1);
  window.report(args);
}
