// N times args.at bytes from shared memory to shared memory, by the instruction that reaches every block of a cluster.
// TO self: to the block's own, and wait. TO peer: to the other block, which waits and copies as many back. Both run the
// same code, wait, announce, copy; block 1 has announced the first copy before, and what block 0 waits for first is
// over.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  extern __shared__ __align__(128) char buffers[];
  __shared__ u64 word;
  Window window;
  const u32 bytes = static_cast<u32>(args.at);
  const u32 from = shared_address(buffers), barrier = shared_address(&word);
#ifdef TO_peer
  const u32 first = cluster_rank() == 0, other = cluster_rank() ^ 1;
  const u32 to = in_cluster(from + bytes, other), there = in_cluster(barrier, other);
#else
  const u32 first = 0, to = from + bytes, there = barrier;
#endif
  u32 late = none_late(args);
  set_up(barrier, 1);
#ifdef TO_peer
  if (threadIdx.x == 0 && !first) expect(barrier, bytes);
  __syncwarp();
  cluster_sync();
#endif
  const bool one = elected();
  if (one) {
    BULK_PASSES {
      // A pass has an even number of phases, so that each begins with the same parity.
      window.ready(from);
      window.ready(to);
      window.ready(there);
      window.ready(late);
      window.ready(first);
      window.ready(bytes);
      window.open();
      UNROLL for (int i = 0; i < N; ++i) {
#ifdef TO_peer
        await(late, barrier, first ^ (i & 1));
#endif
        expect(barrier, bytes);
        bulk_to_cluster(to, from, bytes, there);
#ifdef TO_self
        await(late, barrier, i & 1);
#endif
      }
#ifdef TO_peer
      await(late, barrier, 1);  // block 0 for the last that comes back; of block 1's that phase is over
#endif
      window.wait(late);
      window.close();
    }
    count_fact(args, 0, late);
    window.report(args);
  }
#ifdef TO_peer
  __syncwarp();
  cluster_sync();  // neither leaves while the other copies
#endif
}
