// N times: copy args.at bytes from shared to global memory, or reduce them there by OP, commit, and wait until they are
// visible (UNTIL all) or have been read (UNTIL read).
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  extern __shared__ __align__(128) char buffer[];
  Window window;
  const u32 bytes = static_cast<u32>(args.at), from = shared_address(buffer);
  for (u32 at = lane() * 16; at < bytes; at += 32 * 16) {
    volatile u32* word = reinterpret_cast<volatile u32*>(buffer + at);
    for (u32 i = 0; i < 4; ++i) word[i] = 0;
  }
  set_up(from, 0);
  if (!elected()) return;
  const u64 to = reinterpret_cast<u64>(args.data);
  PASSES {
    window.ready(from);
    window.ready(to);
    window.ready(bytes);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      bulk_store(to, from, bytes);
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
