// All waits for an mbarrier, except those in probes that measure the cost of a wait (synchronization/,
// bulk_copy/load_wait). One try_wait gives up after some 7,900 cycles (H200), whatever its limit. Code that then
// continues and announces the bytes of the next phase arrives once too often at the current phase, which faults.

__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// Queries until the phase is complete, at most 10,000 times. Counts the waits that still failed. In a window this is a
// loop.
__device__ __forceinline__ void await_over(u32& late, u32 barrier, u32 parity) {
  u32 over, tries = 0;
  do {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
  } while (!over && ++tries < 10000);
  late += !over;
}

// For a window without a loop: queries once, and counts if it gave up. Later instructions cannot issue before the
// answer, because they follow NANOSLEEP.SYNCS, whose predicate is that of the wait. Only for phases that complete
// within 7,900 cycles: small copies, or one copy at a time on one SM at a time. If it gives up nevertheless, no number
// results: the premise fails, or the next arrival faults and the case fails with error 719.
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
