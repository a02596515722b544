// N times: announce the bytes of four rows of a tensor to an mbarrier, copy them to shared memory by one gather4, and
// wait for the barrier's phase. The rows are APART, and each gather begins 264 further, at another place in every launch
// and block; the blocks run one after another.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/turn.cuh"

PROBE {
  __shared__ __align__(1024) char buffer[4 * 256];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(&word);
  u64 map = reinterpret_cast<u64>(&args.tensor);
  u32 late = none_late(args);
  set_up(barrier, 1);
  constexpr u32 rows = 65536, extent = N * 264 + 3 * APART;
  const u32 at = static_cast<u32>((launch_hash(args) + u64{rows - extent} * blockIdx.x / gridDim.x) % (rows - extent));
  await_turn(args, blockIdx.x, args.passes * N * 2);
  if (!elected()) return;
  BULK_PASSES {
    const u32 zero = args.zero;
    map += zero;
    window.ready(map);
    window.ready(at);
    window.ready(to);
    window.ready(zero);
    window.ready(late);
    window.open();
    UNROLL for (u32 i = 0; i < N; ++i) {
      const u32 row = at + i * 264;
      expect(barrier, 4 * 256);
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, "
          "%5, %6}], [%7];" ::"r"(to),
          "l"(map), "r"(zero), "r"(row), "r"(row + APART), "r"(row + 2 * APART), "r"(row + 3 * APART), "r"(barrier)
          : "memory");
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
  }
  count_fact(args, 0, late);
  window.report(args);
}
