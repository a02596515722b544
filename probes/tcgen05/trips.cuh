// What one thread asks of the tensor core by `step(i)`, i from 0 to STEPS, and waits for by commits.
#include "bulk_copy/bulk.cuh"

#undef TM_COMMIT
#define TM_COMMIT(barrier)                                                                                        \
  asm volatile("tcgen05.commit" TM_GROUP ".mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory")

// N trips of all steps: a trip has a commit, and the wait for the trip before; the first one waits for an arrival before
// the window. `barriers`: two of them. `at`: what a load may still bring.
template <class Step>
__device__ __forceinline__ void tm_trips(const Args& args, u32 at, u32 barriers, Step step) {
  Window window;
  u32 late = none_late(args), begun = late, ended = late;
  const auto place = [&](u32 number) { return barriers + (number & 1) * 8; };
  const auto end = [&] { await_over(late, place(ended), ended >> 1 & 1), ++ended; };
  BULK_PASSES {
    u64 arrived;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(arrived) : "r"(place(begun++)) : "memory");
    window.ready(arrived);
    window.ready(at);
    window.ready(late);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      UNROLL for (u32 i = 0; i < STEPS; ++i) step(i);
      TM_COMMIT(place(begun++));
      end();
    }
    window.wait(late);
    window.close();
    end();
  }
  window.report(args);
  count_fact(args, 0, late);
}

// N times the first step, its commit and the wait for it.
template <class Step>
__device__ __forceinline__ void tm_one_by_one(const Args& args, u32 at, u32 barrier, Step step) {
  Window window;
  u32 late = none_late(args);
  BULK_PASSES {
    window.ready(at);
    window.ready(late);
    window.open();
    UNROLL for (u32 i = 0; i < N; ++i) {
      step(0);
      TM_COMMIT(barrier);
      await_once(late, barrier, i & 1);
    }
    window.wait(late);
    window.close();
  }
  window.report(args);
  count_fact(args, 0, late);
}
