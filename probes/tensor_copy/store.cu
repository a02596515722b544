// N times: copy a box from shared memory to the tensor, or reduce it there by OP, commit, and wait until it is visible
// (UNTIL all) or has been read (UNTIL read). The box has args.at elements in its outermost dimension, with EACH bytes
// for each of them.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  extern __shared__ __align__(1024) char buffer[];
  Window window;
  const u32 bytes = static_cast<u32>(args.at) * EACH, from = shared_address(buffer);
  for (u32 at = lane() * 4; at < bytes; at += 32 * 4) *reinterpret_cast<volatile u32*>(buffer + at) = 0;
  set_up(from, 0);
  if (!elected()) return;
  const u64 map = tensor_map(args);
  PASSES {
    const u32 zero = args.zero;
    window.ready(from);
    window.ready(zero);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      tensor_store(map, zero, zero, from);
      bulk_commit();
#ifdef UNTIL_read
      BULK_WAIT_READ(0);
#else
      BULK_WAIT(0);
#endif
    }
    window.close();
  }
  window.report(args);
}
