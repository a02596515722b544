// A good window, and after it what HOW says goes wrong.
#include "probe.cuh"

PROBE {
  Window window;
  u32 v = input(args, 0);
  PASSES {
    window.ready(v);
    window.open();
    UNROLL for (int i = 0; i < N; ++i) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
    window.wait(v);
    window.close();
  }
#if defined(HOW_illegal_address)
  *reinterpret_cast<volatile u32*>(u64{args.zero} + 16) = v;
#elif defined(HOW_misaligned)
  *reinterpret_cast<volatile u32*>(args.data + args.zero + 1) = v;
#elif defined(HOW_odd_barrier)
  // PTX ISA, "barrier": the threads are a multiple of a warp's.
  asm volatile("barrier.sync %0, %1;" ::"r"(args.zero + 1), "r"(args.zero + 33) : "memory");
#elif defined(HOW_endless_loop)
  while (*reinterpret_cast<volatile u32*>(args.data) != 0xdeadbeef || args.zero == 0) {
  }
#elif defined(HOW_trap)
  if (args.zero == 0) asm volatile("trap;");
#elif defined(HOW_no_tensor_map)
  __shared__ __align__(128) char box[1024];
  __shared__ u64 barrier;
  if (lane() == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::
            "r"(shared_address(box)),
        "l"(args.data), "r"(args.zero), "r"(shared_address(&barrier))
        : "memory");
  }
#elif defined(HOW_expired_mbarrier)
  __shared__ u64 barrier;
  if (lane() == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    u32 over = 0;
    while (!over)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                   : "=r"(over)
                   : "r"(shared_address(&barrier))
                   : "memory");
  }
#elif defined(HOW_syntax)
  asm volatile("shfl.sinc.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(v));
#endif
  window.report(args);
}
