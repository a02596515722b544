// N times: announce the bytes of a box to an mbarrier, copy it from the tensor to shared memory, wait for the barrier's
// phase. The box has args.at in its outermost dimension (with IM2COL, args.at pixels), EACH bytes or WIDTH f32 for each
// of them.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"

#undef EACH_BYTES
#ifdef EACH
#define EACH_BYTES EACH
#else
#define EACH_BYTES (WIDTH * 4)
#endif

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(buffer), barrier = shared_address(&word), bytes = static_cast<u32>(args.at) * EACH_BYTES;
  const u64 map = tensor_map(args);
  u32 late = none_late(args);
  set_up(barrier, 1);
  if (!elected()) return;
#ifdef SOURCE_dram
  constexpr u32 step = 256;  // every box has lines that nothing has touched since L2 was swept
#else
  constexpr u32 step = 0;
#endif
  u32 at = 0;
  BULK_PASSES {
    const u32 zero = args.zero;
    window.ready(at);
    window.ready(to);
    window.ready(zero);
    window.ready(late);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      expect(barrier, bytes);
      tensor_load(to, map, at + i * step, zero, barrier);
      await(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
    at += N * step;
  }
  count_fact(args, 0, late);
  window.report(args);
}
