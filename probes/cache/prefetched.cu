// One load of a line that L2 received BY a load or a prefetch at least 4096 cycles before, from the SM itself or from
// another (`elsewhere`: half of the grid away); none: the line is only in DRAM. Just before that, the SM has read a
// word in the same 4 KiB, 64 KiB or 2 MiB (WARM), or nothing. The window holds only the load. Every launch pairs the
// SMs with other lines, and no SM's word is in another's line.
#include "probe.cuh"
#include "bandwidth/meet.cuh"
#include "memory/delay.cuh"

#undef WARM_DISTANCE
#if defined(WARM_4k)
#define WARM_DISTANCE 0
#elif defined(WARM_64k)
#define WARM_DISTANCE (32 << 10)
#else
#define WARM_DISTANCE (1 << 20)
#endif

#undef BRING
#if defined(BY_load) || defined(BY_load_elsewhere)
#define BRING(to, p) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(to) : "l"(p) : "memory")
#elif defined(BY_none)
#define BRING(to, p)
#else
#define BRING(to, p) asm volatile("prefetch.global.L2 [%0];" ::"l"(p) : "memory")
#endif

// What a load between the prefetch and the window reads: another sector of the line, or another word of the sector.
#undef BETWEEN
#ifdef BY_prefetch_load
#define BETWEEN "64"
#else
#define BETWEEN "4"
#endif

PROBE {
  Window window;
  const Delay delay(args);
  const u64 places = args.data_bytes / 4096, first_place = launch_hash(args);
  PASSES {
    const auto place = [&](u32 block) {
      return reinterpret_cast<u64>(args.data) + (first_place + u64{pass} * gridDim.x + block) % places * 4096;
    };
    u64 mine = place(blockIdx.x);
    u32 warmed = 0, brought = 0, v;
#ifndef WARM_none
    asm volatile("ld.global.cg.u32 %0, [%1 + 2048];" : "=r"(warmed) : "l"(mine ^ WARM_DISTANCE) : "memory");
#endif
    mine = behind(mine, warmed, args);
#if defined(BY_load_elsewhere) || defined(BY_prefetch_elsewhere) || defined(BY_prefetch_both)
    const u64 theirs = behind(place((blockIdx.x + gridDim.x / 2) % gridDim.x), warmed, args);
    BRING(brought, theirs);
#else
    const u64 theirs = 0;
#endif
#if !defined(BY_load_elsewhere) && !defined(BY_prefetch_elsewhere)
    BRING(brought, mine);
#endif
#ifdef BY_prefetch_twice
    BRING(brought, behind(mine, __float_as_uint(delay.of_trips(16, warmed)), args));
#elif defined(BY_prefetch_load) || defined(BY_prefetch_sector)
    asm volatile("ld.global.cg.u32 %0, [%1 + " BETWEEN "];" : "=r"(brought) :
                 "l"(behind(mine, __float_as_uint(delay.of_trips(16, warmed)), args)) : "memory");
#endif
    meet(args, pass);
    const u64 p = behind(mine, __float_as_uint(delay.of_trips(16, brought)), args);
    window.ready(p);
    window.open();
    asm volatile("ld.global." PATH ".u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    window.wait(v);
    window.close();
    // Keeps the addresses alive: a load that overwrote one would wait for the previous access to its register.
    window.ready(p);
    window.ready(mine);
    window.ready(theirs);
  }
  window.report(args);
}
