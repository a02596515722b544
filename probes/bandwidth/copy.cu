// N trips of DEPTH loads of BYTES per lane from the first half of the data, each stored to the same offset in the
// second half, and a fence that waits for the last stores. A sweep may set TO, the cache operator of the stores, and
// HINT for the loads, whose lines L2 should evict before those that are written; or LOADS and STORES, so many of which
// are made instead of DEPTH. What is loaded beyond the stores goes into what they store: ptxas leaves out a load of
// which nothing is used.
#include "probe.cuh"
#include "bandwidth/words.cuh"
#include "bandwidth/sweep.cuh"
#include "bandwidth/meet.cuh"

#undef COPY_STORE
#if defined(TO) && !defined(TO_none)
#define COPY_STORE "st.global." TO
#else
#define COPY_STORE "st.global"
#endif
#undef COPY_LOAD
#undef HINTED
#if defined(HINT) && !defined(HINT_none)
#define HINTED
#define BEYOND_L1 "." PATH
#include "cache/hint.cuh"
#define COPY_LOAD(v, p) HINTED_LOAD(v, p, policy)
#else
#define COPY_LOAD(v, p) LOAD("ld.global." PATH, "l", v, p)
#endif

#undef LOADS_OF_TRIP
#undef STORES_OF_TRIP
#ifdef LOADS
#define LOADS_OF_TRIP LOADS
#define STORES_OF_TRIP STORES
#else
#define LOADS_OF_TRIP DEPTH
#define STORES_OF_TRIP DEPTH
#endif

PROBE {
  Window window;
  constexpr u32 row = WARPS * 32 * BYTES;
  Sweep sweep(args, threadIdx.x * BYTES, DEPTH * row, 2);
  const u64 half = args.data_bytes / 2;
  u32 v[DEPTH][WORDS];
#ifdef HINTED
  const u64 policy = hint_policy();
#endif
  PASSES {
    window.ready(sweep.place());
    window.ready(half);
#ifdef HINTED
    window.ready(policy);
#endif
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
      const u64 p = sweep.place(), to = p + half;
      UNROLL for (int i = 0; i < LOADS_OF_TRIP; ++i) COPY_LOAD(v[i], p + i * row);
      UNROLL for (int i = STORES_OF_TRIP; i < LOADS_OF_TRIP; ++i) {
        UNROLL for (int word = 0; word < WORDS; ++word) v[i % STORES_OF_TRIP][word] ^= v[i][word];
      }
      UNROLL for (int i = 0; i < STORES_OF_TRIP; ++i) STORE(COPY_STORE, "l", to + i * row, v[i % LOADS_OF_TRIP]);
      sweep.next();
    }
    __threadfence();
    window.close();
  }
  window.report(args);
}
#undef BEYOND_L1
