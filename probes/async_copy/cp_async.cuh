// cp.async of the sweep's BYTES (4, 8, 16) and CACHE (ca, cg; PTX ISA: cg only with 16 bytes).
#undef CP_ASYNC
#undef CP_COMMIT
#undef CP_WAIT

#define CP_ASYNC(shared, global) \
  asm volatile("cp.async." CACHE ".shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(BYTES) : "memory")
#define CP_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define CP_WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

// Where the window's source lines are when it opens. `l2`: they were read past L1 before, so that L2 has them but L1
// does not. `dram`: the config's `cold: true` swept L2 and nothing has touched them since. `l1`: wherever the warm-up
// pass left them. Every pass and every block has its own lines; otherwise the warm-up pass would move them nearer.
__device__ __forceinline__ const char* pass_source(const Args& args, u32 pass, u32 bytes_per_pass) {
  return args.data + (u64{pass} * gridDim.x + blockIdx.x) * bytes_per_pass;
}

// Brings `bytes` from `p` on into L2 past L1, one word per line and lane, and returns a value that depends on them.
__device__ __forceinline__ u32 touch_l2(const char* p, u32 bytes) {
  u32 sum = 0;
  for (u32 at = lane() * 32; at < bytes; at += 32 * 32) {
    u32 v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + at) : "memory");
    sum += v;
  }
  return sum;
}
