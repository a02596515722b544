// N trips of STEPS moves from a register to a uniform register and back: R2UR, or REDUX, which leaves a uniform result,
// and then a move. ptxas uses a uniform register for each value because its last use needs one: a bulk copy after the
// window, which never runs. MULS multiplications, which cannot use uniform registers, keep ptxas from removing R2UR.
#include "probe.cuh"
#include "issue/trips.cuh"

__device__ __forceinline__ void step(u32& v) {
#if defined(WAY_redux)
  asm volatile("redux.sync.or.b32 %0, %0, 0xffffffff;" : "+r"(v));
#else
  UNROLL for (int i = 0; i < MULS; ++i) asm volatile("mul.rn.f32 %0, %0, 0f3F9E3779;" : "+r"(v));
#endif
}

PROBE {
  __shared__ __align__(16) char room[16];
  Window window;
  PASSES {
    u32 v = args.passes, each[STEPS];
    float left = trips();
    window.ready(left);
    window.open();
    _Pragma("unroll 1") do {
      UNROLL for (int i = 0; i < STEPS; ++i) {
        step(v);
        each[i] = v;
      }
    } while (again(left));
    window.wait(v);
    window.close();
    if (input(args, 0)) {  // zero, like all the data
      UNROLL for (int i = 0; i < STEPS; ++i)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
                     ::"r"(each[i]), "l"(args.data), "r"(shared_address(room)) : "memory");
    }
  }
  window.report(args);
}
