// All SMs copy 128 KiB each from global to shared memory, 16 KiB at a time, and again in the window. In between, STREAM
// times as much, which is never read again, passes through L2 the same way. HINT applies to the copies of what is read
// again (HINTED hot) or to the others.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/meet.cuh"

#undef HINTED_COPY
#undef PLAIN_COPY
#define PLAIN_COPY "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
#define HINTED_COPY                                                                                                   \
  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" BULK_HINT " [%0], [%1], %2, [%3]" BULK_HINT_OPERAND \
  ";"
#undef HOT
#undef REST
#ifdef HINTED_hot
#define HOT HINTED_COPY
#define REST PLAIN_COPY
#else
#define HOT PLAIN_COPY
#define REST HINTED_COPY
#endif
#undef COPY_ALL
// One piece per trip, all of them in flight together.
#define COPY_ALL(op, from)                                                                                      \
  _Pragma("unroll 1") for (u32 s = 0; s < pieces; ++s) {                                                        \
    expect(barrier + s * 8, bytes);                                                                             \
    asm volatile(op ::"r"(to + s * bytes), "l"(from + s * bytes), "r"(bytes), "r"(barrier + s * 8), "l"(policy) \
                 : "memory");                                                                                   \
  }                                                                                                             \
  _Pragma("unroll 1") for (u32 s = 0; s < pieces; ++s) await_over(late, barrier + s * 8, parity)

PROBE {
  constexpr u32 pieces = 8, bytes = 16 * 1024;
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 words[pieces];
  Window window;
  const u32 to = shared_address(buffers), barrier = shared_address(words);
  set_up(barrier, pieces);
  if (!elected()) return;
  const u64 policy = bulk_policy(), round = u64{gridDim.x} * pieces * bytes;
  u32 late = none_late(args), parity = 0;
  BULK_PASSES {
    const u64 hot = reinterpret_cast<u64>(args.data) + pass * round * (1 + STREAM) + u64{blockIdx.x} * pieces * bytes;
    COPY_ALL(HOT, hot);
    _Pragma("unroll 1") for (u32 r = 1; r <= STREAM; ++r) {
      parity ^= 1;
      const u64 from = hot + r * round;
      COPY_ALL(REST, from);
    }
    parity ^= 1;
    window.ready(hot);
    window.ready(policy);
    window.ready(late);
    window.ready(parity);
    meet(args, pass);
    window.open();
    COPY_ALL(HOT, hot);
    window.wait(late);
    window.close();
    parity ^= 1;
  }
  count_fact(args, 0, late);
  window.report(args);
}
