// N times: write four rows of a tensor from shared memory by one scatter4, commit, and wait until the bytes are visible
// (UNTIL all) or have been read (UNTIL read). The rows are APART.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  __shared__ __align__(1024) char buffer[4 * 256];
  Window window;
  const u32 from = shared_address(buffer);
  u64 map = reinterpret_cast<u64>(&args.tensor);
  for (u32 i = lane(); i < sizeof(buffer) / 4; i += 32) reinterpret_cast<volatile u32*>(buffer)[i] = 0;
  set_up(from, 0);
  if (!elected()) return;
  const u32 at = static_cast<u32>(launch_hash(args) % (65536 - N * 264 - 3 * APART));
  BULK_PASSES {
    const u32 zero = args.zero;
    map += zero;
    window.ready(map);
    window.ready(at);
    window.ready(from);
    window.ready(zero);
    window.open();
    UNROLL for (u32 i = 0; i < N; ++i) {
      const u32 row = at + i * 264;
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(map),
          "r"(zero), "r"(row), "r"(row + APART), "r"(row + 2 * APART), "r"(row + 3 * APART), "r"(from)
          : "memory");
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
