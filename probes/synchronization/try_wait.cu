// A try_wait for a phase that does not end: until it gives up, with the time limit that args.at says in nanoseconds, or
// with the one that the hardware has (LIMIT).
#include "probe.cuh"

PROBE {
  __shared__ __align__(8) u64 barrier;
  Window window;
  const u32 p = shared_address(&barrier) + (input(args, 0) & args.zero);
  [[maybe_unused]] const u32 limit = static_cast<u32>(args.at) + (input(args, 1) & args.zero);
  if (lane() == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(p) : "memory");
  __syncthreads();
  if (lane() != 0) return;
  PASSES {
    u32 ended;
    window.ready(p);
    window.ready(limit);
    window.open();
#ifdef LIMIT_given
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(ended) : "r"(p), "r"(limit));
#else
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(ended) : "r"(p));
#endif
    window.wait(ended);
    window.close();
    count_fact(args, 0, ended);
  }
  window.report(args);
}
