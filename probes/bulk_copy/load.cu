// N times: announce args.at bytes to an mbarrier, copy them from global to shared memory, wait for the barrier's phase.
// Every copy has its own bytes, different in every launch and block; the blocks run one after another. SOURCE L2: a
// pass copies the same bytes as the one before. DRAM: it copies bytes that nothing has touched since L2 was swept.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/turn.cuh"

PROBE {
  extern __shared__ __align__(128) char buffer[];
  __shared__ u64 words[2];
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(words), bytes = static_cast<u32>(args.at);
  const u64 policy = bulk_policy();
  u32 late = none_late(args);
  set_up(barrier, 2);
  constexpr u32 step = 128 * 1024 + 33 * 128;  // between copies; not a power of two, because such lines may share
                                               // slices
#ifdef SOURCE_dram
  const u32 distance = N * step;  // between passes
#else
  const u32 distance = 0;
#endif
  const u64 extent = u64{N} * step + u64{distance} * (args.passes - 1), room = (args.data_bytes - extent) / 128;
  u64 from = reinterpret_cast<u64>(args.data) + (launch_hash(args) + room * blockIdx.x / gridDim.x) % room * 128;
  await_turn(args, blockIdx.x, args.passes * N * (2 + bytes / 32768));
  if (!elected()) return;
  // Warms the address translation, which is not part of the question: 16 bytes of each page, between two copies if
  // possible.
  u32 parity = 0;
  for (u64 at = 0; at < extent; at += 1 << 20) {
    expect(barrier + 8, 16);
    bulk_load(to, from + at / step * step + step - 128, 16, barrier + 8, policy);
    await_over(late, barrier + 8, parity);
    parity ^= 1;
  }
  PASSES {
    window.ready(from);
    window.ready(to);
    window.ready(policy);
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      bulk_load(to, from + i * step, bytes, barrier, policy);
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
    from += distance;
  }
  count_fact(args, 0, late);
  window.report(args);
}
