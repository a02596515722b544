// N times: one warp-wide cp.async of BYTES, of which only SOURCE_BYTES are read and the rest is filled with zeros;
// committed and waited for. With HINT, it uses an L2 cache policy created before the window.
#include "probe.cuh"
#include "async_copy/cp_async.cuh"

#undef CP_FILL
#undef CP_POLICY
#ifdef HINT
#define CP_POLICY "createpolicy.fractional.L2::" HINT ".b64 %0, 1.0;"
#define CP_FILL(to, from)                                                                   \
  asm volatile("cp.async." CACHE ".shared.global.L2::cache_hint [%0], [%1], %2, %3;" ::"r"(to), \
               "l"(from), "n"(BYTES), "l"(policy)                                           \
               : "memory")
#else
#define CP_POLICY "mov.u64 %0, 0;"
#define CP_FILL(to, from)                                                                            \
  asm volatile("cp.async." CACHE ".shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES), \
               "r"(size)                                                                            \
               : "memory")
#endif

PROBE {
  __shared__ __align__(128) char tile[32 * BYTES];
  Window window;
  constexpr u32 stride = 1024;
#ifdef HINT
  // Unknown to ptxas: a shared address in a uniform register together with a policy is a form of LDGSTS that the device
  // rejects as an illegal instruction (ptxas 13.0).
  const u32 to = shared_address(tile) + lane() * BYTES + (input(args, 0) & args.zero);
  constexpr u32 size = BYTES;
#else
  const u32 to = shared_address(tile) + lane() * BYTES;
  const u32 size = SOURCE_BYTES + (lane() & args.zero);  // a register operand, as for the last tile of a matrix
#endif
  u64 policy;
  asm volatile(CP_POLICY : "=l"(policy));
  PASSES {
    const char* from = pass_source(args, pass, N * stride) + lane() * BYTES;
    window.ready(touch_l2(from - lane() * BYTES, N * stride));
    window.ready(to);
    window.ready(size);
    window.ready(policy);
    window.ready(reinterpret_cast<u64>(from));
    window.open();
    UNROLL for (int i = 0; i < N; ++i) {
      CP_FILL(to, from + i * stride);
      CP_COMMIT();
      CP_WAIT(0);
    }
    window.close();
  }
  window.report(args);
}
