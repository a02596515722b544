// N trips of STAGES chunks of BYTES by one thread of each block, from the first half of the data through shared memory
// to the same offset in the second half. cp.async.bulk fills a buffer, which has an mbarrier, and copies it out as soon
// as it is full. A buffer is refilled when the chunk that was copied out LAG chunks ago has been read, so that STAGES -
// LAG chunks are being loaded. As many buffers are full before the window, and at its end are full with the next
// chunks. The window waits for everything that was written.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 words[STAGES];
  Window window;
  Sweep sweep(args, 0, STAGES * BYTES, 2);
  const u64 half = args.data_bytes / 2, policy = bulk_policy();
  const u32 buffer = shared_address(buffers), barrier = shared_address(words);
  set_up(barrier, STAGES);
  if (!elected()) return;
  // The parities of the current phases: of the buffers that are filled before the window, and of the others.
  u32 late = none_late(args), early = late, later = late;
  const auto fill = [&](u32 s, u64 from) {
    expect(barrier + s * 8, BYTES);
    bulk_load(buffer + s * BYTES, from + s * BYTES, BYTES, barrier + s * 8, policy);
  };
  BULK_PASSES {
    window.ready(sweep.place());
    window.ready(half);
    window.ready(policy);
    window.ready(buffer);
    UNROLL for (u32 s = 0; s < STAGES - LAG; ++s) fill(s, sweep.place());
    UNROLL for (u32 s = 0; s < STAGES - LAG; ++s) await_over(late, barrier + s * 8, early);
    window.ready(late);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 now = sweep.place();
      sweep.next();
      UNROLL for (u32 s = 0; s < STAGES; ++s) {
        await_over(late, barrier + s * 8, s < STAGES - LAG ? early : later);
        bulk_store(now + half + s * BYTES, buffer + s * BYTES, BYTES);
        bulk_commit();
        BULK_WAIT_READ(LAG);
        fill((s + STAGES - LAG) % STAGES, s < LAG ? now : sweep.place());
      }
      early ^= 1;
      later ^= 1;
    }
    UNROLL for (u32 s = 0; s < STAGES - LAG; ++s) await_over(late, barrier + s * 8, early);
    BULK_WAIT(0);
    window.wait(late);
    window.close();
    early ^= 1;
  }
  count_fact(args, 0, late);
  window.report(args);
}
