// N times one thread of a block takes a block away that has not begun (clusterlaunchcontrol), waits for the answer, and
// reads which one it is, as persistent kernels do for their next tile. ASKING: the first block alone, or one block on
// every SM. A grid has 32 blocks for each SM, of which an SM holds a few. Those that hold a place wait until all that
// ask are done, so that no block begins meanwhile: after a request that fails, another one is undefined.
#include "probe.cuh"
#include "bulk_copy/bulk.cuh"

PROBE {
  __shared__ __align__(16) u64 answer[2];
  __shared__ u64 word;
  Window window;
  const u32 to = shared_address(answer), barrier = shared_address(&word), sms = gridDim.x / 32;
#ifdef ASKING_one
  const u32 asking = 1;
#else
  const u32 asking = sms;
#endif
  u32* const done = args.facts + 15;
  const volatile u32* const seen = done;
  if (blockIdx.x >= 8 * sms) return;
  set_up(barrier, 1);
  if (!elected()) return;
  // Memory is read once before the window, or ptxas would wait in it for what it needs to read memory after it.
  u32 late = none_late(args) | (*seen & args.zero), taken = late, next = late;
  if (blockIdx.x < asking) {
    BULK_PASSES {
      window.ready(args.passes);
      window.ready(args.zero);
      window.ready(late);
      window.ready(to);
      window.ready(barrier);
      window.open();
      UNROLL for (u32 i = 0; i < N; ++i) {
        expect(barrier, 16);
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                         to),
                     "r"(barrier)
                     : "memory");
        await_once(late, barrier, i & 1);
        asm volatile(
            "{\n"
            ".reg .b128 answer;\n.reg .b64 low, high;\n.reg .pred p;\n"
            "ld.shared.v2.b64 {low, high}, [%2];\n"
            "mov.b128 answer, {low, high};\n"
            "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;\n"
            "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, answer;\n"
            "@p add.u32 %0, %0, 1;\n"
            "}"
            : "+r"(taken), "+r"(next)
            : "r"(to)
            : "memory");
      }
      window.wait(late);
      window.wait(taken);
      window.wait(next);
      window.close();
    }
    window.report(args);
    count_fact(args, 0, late);
    count_fact(args, 1, N * args.passes - taken);
    atomicAdd(done, 1);
  }
  for (u32 tries = 0; *seen < asking && tries < 1000000; ++tries) {}
}
