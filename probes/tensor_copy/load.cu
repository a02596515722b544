// N times: announce the bytes of a box to an mbarrier, copy the box from the tensor to shared memory, wait for the
// barrier's phase. The box has args.at elements in its outermost dimension (with IM2COL, args.at pixels), with EACH
// bytes or WIDTH f32 for each of them. Every box begins STEP further in the outermost dimension, which is OUTERMOST
// long, and at another place in every launch and block; the blocks run one after another. SOURCE L2: a pass copies the
// same boxes as the one before. DRAM: it copies boxes that nothing has touched since L2 was swept.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "memory/turn.cuh"
#include "tensor_copy/tensor.cuh"

#undef EACH_BYTES
#ifdef EACH
#define EACH_BYTES EACH
#else
#define EACH_BYTES (WIDTH * 4)
#endif

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 words[2];
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(words);
  const u32 bytes = static_cast<u32>(args.at) * EACH_BYTES;
  u64 map = tensor_map(args);
  u32 late = none_late(args);
  set_up(barrier, 2);
#ifdef SOURCE_dram
  const u32 distance = N * STEP;  // between passes
#else
  const u32 distance = 0;
#endif
  const u32 extent = N * STEP + distance * (args.passes - 1), room = OUTERMOST - extent;
  constexpr u32 unit = DIMS == 1 ? 32 : 1;  // of a line; with more dimensions each row begins with one
  const u32 units = room / unit;
  u32 at = static_cast<u32>((launch_hash(args) + u64{units} * blockIdx.x / gridDim.x) % units) * unit;
  await_turn(args, blockIdx.x, args.passes * N * (2 + bytes / 32768));
  if (!elected()) return;
#ifdef SOURCE_dram
  // Warms the address translation, which is not part of the question: 16 bytes of each page, between two boxes.
  u32 parity = 0;
  for (u32 row = 0; row < extent; row += 4096) {
    expect(barrier + 8, 16);
    bulk_load(to, reinterpret_cast<u64>(args.data) + u64{at + row / STEP * STEP + STEP} * 256 - 16, 16, barrier + 8);
    await_over(late, barrier + 8, parity);
    parity ^= 1;
  }
#endif
  BULK_PASSES {
    const u32 zero = args.zero;
    map += zero;  // carried from pass to pass; otherwise ptxas would compute it inside the window
    window.ready(map);
    window.ready(at);
    window.ready(to);
    window.ready(zero);
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      tensor_load(to, map, at + i * STEP, zero, barrier);
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
    at += distance;
  }
  count_fact(args, 0, late);
  window.report(args);
}
