// N trips of STAGES copies of BYTES from shared memory to that of the next block of a cluster of CLUSTER, by one thread
// of every block. A block sends from a buffer again when as many bytes have come from the block before it; a block that
// is a phase ahead only makes the count of a barrier negative for a while. Nothing reads what arrives.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 words[STAGES];
  Window window;
  const u32 next = (cluster_rank() + 1) % CLUSTER;
  const u32 from = shared_address(buffers), barrier = shared_address(words);
  const u32 to = in_cluster(from + STAGES * BYTES, next), there = in_cluster(barrier, next);
  set_up(barrier, STAGES);
  cluster_sync();
  const bool one = elected();
  if (one) {
    u32 parity = 1, late = none_late(args);
    BULK_PASSES {
      window.ready(from);
      window.ready(to);
      window.ready(there);
      window.ready(late);
      window.open();
      _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
        UNROLL for (u32 s = 0; s < STAGES; ++s) {
          await(late, barrier + s * 8, parity);
          expect(barrier + s * 8, BYTES);
          bulk_to_cluster(to + s * BYTES, from + s * BYTES, BYTES, there + s * 8);
        }
        parity ^= 1;
      }
      UNROLL for (u32 s = 0; s < STAGES; ++s) await(late, barrier + s * 8, parity);
      window.wait(late);
      window.close();
    }
    count_fact(args, 0, late);
    window.report(args);
  }
  __syncwarp();
  cluster_sync();  // none leaves while another copies into it
}
