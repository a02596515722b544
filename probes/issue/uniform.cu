// N trips of STEPS steps of ILP chains on values that all lanes share. ptxas uses the uniform datapath because the last
// use of the values needs uniform registers: a bulk copy after the window, which never runs.
#include "probe.cuh"
#include "issue/trips.cuh"

#undef STEP
#if defined(OP_uiadd3)
#define STEP "{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }"
#elif defined(OP_ulop3)
#define STEP "lop3.b32 %0, %0, %1, %2, 0xe8;"
#elif defined(OP_ushf)
#define STEP "shf.l.wrap.b32 %0, %0, %1, %2;"
#elif defined(OP_uprmt)
#define STEP "prmt.b32 %0, %0, %1, %2;"
#else
#define STEP "mad.lo.u32 %0, %0, %1, %2;"
#endif

PROBE {
  __shared__ __align__(16) char room[16];
  Window window;
  PASSES {
    u32 v[ILP];
    UNROLL for (int j = 0; j < ILP; ++j) v[j] = args.passes + j;
    const u32 b = static_cast<u32>(args.data_bytes), c = static_cast<u32>(args.at);
    float left = trips();
    window.ready(left);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i)
        UNROLL for (int j = 0; j < ILP; ++j) asm volatile(STEP : "+r"(v[j]) : "r"(b), "r"(c));
    } while (again(left));
    UNROLL for (int j = 0; j < ILP; ++j) window.wait(v[j]);
    window.close();
    if (input(args, 0)) {  // zero, like all the data
      UNROLL for (int j = 0; j < ILP; ++j)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
                     ::"r"(v[j]), "l"(args.data), "r"(shared_address(room)) : "memory");
    }
  }
  window.report(args);
}
