// All waits for an mbarrier, but those of the probes that ask what a wait costs (synchronization/, bulk_copy/load_wait).
// One try_wait gives up after some 7,900 cycles (H200) whatever limit it is given, and who then goes on and announces
// the bytes of the next phase arrives once too often at the one that is not over, which faults.

__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Asked again until the phase is over, and 10,000 times at most; counts the waits that this did not end. In a window it
// is a loop.
__device__ __forceinline__ void await_over(u32& late, u32 barrier, u32 parity) {
  u32 over, tries = 0;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
  } while (!over && ++tries < 10000);
  late += !over;
}

// For a window without a loop: asked once, and counted when it gave up. What stands behind it cannot issue before it has
// its answer: it is behind NANOSLEEP.SYNCS, whose predicate is that of the wait. Only for what is over within 7,900
// cycles: small copies, or one copy at a time of one SM at a time. If it gives up all the same, there is no number: the
// premise fails, or the next arrival faults and the case fails with error 719.
__device__ __forceinline__ void await_once(u32& late, u32 barrier, u32 parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 10000000;\n"
      "@!p add.u32 %0, %0, 1;\n"
      "}"
      : "+r"(late)
      : "r"(barrier), "r"(parity)
      : "memory");
}
