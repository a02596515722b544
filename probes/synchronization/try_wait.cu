// A try_wait for a phase that does not complete, until it gives up: with a time limit of args.at nanoseconds, or with
// that of the hardware (LIMIT).
#include "probe.cuh"

#undef LIMIT_OPERAND
#undef TRY
#ifdef LIMIT_given
#define LIMIT_OPERAND ", %2"
#else
#define LIMIT_OPERAND
#endif
#define TRY(wait)                                                            \
  asm volatile("{\n\t.reg .pred p;\n\t" wait "\n\tselp.u32 %0, 1, 0, p;\n\t}" \
               : "=r"(ended) : "r"(p), "r"(limit))

PROBE {
  __shared__ __align__(8) u64 barrier;
  Window window;
  const u32 p = shared_address(&barrier) + (input(args, 0) & args.zero);
  const u32 limit = static_cast<u32>(args.at) + (input(args, 1) & args.zero);
  if (lane() == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(p) : "memory");
  __syncthreads();
  if (lane() != 0) return;
  PASSES {
    u32 ended;
    window.ready(p);
    window.ready(limit);
    window.open();
    TRY("mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0" LIMIT_OPERAND ";");
    window.wait(ended);
    window.close();
    count_fact(args, 0, ended);
  }
  window.report(args);
}
