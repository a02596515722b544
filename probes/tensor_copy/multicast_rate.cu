// N rounds: every block of a cluster copies STAGES boxes to all blocks, each to its own buffer and mbarrier. It copies
// into a buffer again as soon as everything that the previous round sent there has arrived. Nothing reads the data. Two
// consecutive rounds use different barriers, and the bytes of a round are announced before the block sends the round
// before it. A block may be ahead of another by one round, whose bytes would otherwise complete the phase of earlier
// ones. One round is in flight when the window opens, and when it closes.
#include "bulk_copy/bulk.cuh"
#include "clusters/cluster.cuh"
#include "probe.cuh"
#include "tensor_copy/tensor.cuh"

PROBE {
  constexpr u32 share = ROWS * EACH, bytes = CLUSTER * share;
  extern __shared__ __align__(1024) char buffers[];
  __shared__ u64 words[2 * STAGES];
  Window window;
  const u32 to = shared_address(buffers) + cluster_rank() * share, first = shared_address(words);
  const u64 map = tensor_map(args);
  set_up(first, 2 * STAGES);
  if (threadIdx.x == 0) UNROLL for (u32 s = 0; s < 2 * STAGES; ++s) expect(first + s * 8, bytes);
  __syncwarp();
  cluster_sync();
  if (elected()) {
    u32 late = none_late(args), zero = late, row = blockIdx.x * ROWS, even = first, odd = first + STAGES * 8, parity = 0;
    const u32 step = gridDim.x * ROWS;
    const auto send = [&](u32 barrier, u32 s) {
      tensor_multicast(to + s * bytes, map, row % OUTERMOST, zero, barrier + s * 8, (1u << CLUSTER) - 1);
      row += step;
    };
    UNROLL for (u32 s = 0; s < STAGES; ++s) send(even, s);
    BULK_PASSES {
      window.ready(to);
      window.ready(row);
      window.ready(late);
      window.ready(even);
      window.ready(odd);
      window.ready(parity);
      window.open();
      _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
        UNROLL for (u32 s = 0; s < STAGES; ++s) {
          await_over(late, even + s * 8, parity);
          expect(even + s * 8, bytes);
          send(odd, s);
        }
        // The next round uses the other barriers, and every second one their next phase.
        const u32 next = odd;
        odd = even;
        even = next;
        parity ^= even == first;
      }
      window.wait(late);
      window.close();
    }
    // The last round, for which no window waits.
    UNROLL for (u32 s = 0; s < STAGES; ++s) await_over(late, even + s * 8, parity);
    count_fact(args, 0, late);
    window.report(args);
  }
  __syncwarp();
  cluster_sync();  // no block exits while another copies into it
}
