// One lane of each of two sides, 0 and 1, hands a turn to the other and gets it back. SIGNAL(phase) passes the turn on;
// WAIT(phase) waits until it arrives. Both sides run the same window of N times SIGNAL and WAIT. Side 1 waits for its
// first turn before its window, so the turn makes N round trips in the window of side 0, whose clock is recorded.
//
// A signal is a phase, even or odd: of an mbarrier, or a word that holds 1 after an even phase and 0 after an odd one.
// Two values suffice, because no side passes the turn on twice without receiving it in between. A pass takes N + 1
// phases on each side: N in the window, and one in which side 0 signals to side 1 that its window is closed and side 1
// acknowledges it.
struct Turns {
  u32 waits[2], sends[2];  // for even and odd rounds of the window
  u32 first;

  __device__ __forceinline__ Turns(u32 pass, u32 side) : first(pass * (N + 1)) {
    UNROLL for (u32 i = 0; i < 2; ++i) {
      waits[i] = (first + side + i) & 1;
      sends[i] = (first + i + 1) & 1;
    }
  }
  __device__ __forceinline__ u32 wait_of(u32 i) const { return (first + i) & 1; }
  __device__ __forceinline__ u32 send_of(u32 i) const { return (first + i + 1) & 1; }
};

// A loop around a load or an mbarrier's test, which only one lane executes.
#undef SPIN
#undef POLL
#define SPIN(load, phase)                                              \
  asm volatile("{\n\t.reg .u32 v;\n\t.reg .pred p;\n\tspin:\n\t" load  \
               "\n\tsetp.eq.u32 p, v, %1;\n\t@p bra.uni spin;\n\t}" ::ADDRESS(mine), "r"(phase))
#define POLL(wait, phase) \
  asm volatile("{\n\t.reg .pred p;\n\tspin:\n\t" wait "\n\t@!p bra.uni spin;\n\t}" ::ADDRESS(mine), "r"(phase))

#undef HAND_OVER
#undef TURN
#undef SETTLE
#ifdef TRY_WAIT
// try_wait waits by itself, so the window needs no loop (ptxas would put the second try after the end of the kernel). A
// wait that gives up is counted and disables the rest of the window, so that no loop outside runs forever.
#define TURN(phase)                                                                                              \
  asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %0, 0;\n\t@p " ARRIVE "\n\t" TRY_WAIT                       \
               "\n\tselp.u32 %0, 1, 0, p;\n\t}" : "+r"(had) : ADDRESS(theirs), ADDRESS(mine), "r"(phase))
#define SETTLE(phase)                                                                                            \
  for (u32 tries = 0, done = 0; tries < 1000000 && !done; ++tries)                                               \
    asm volatile("{\n\t.reg .pred p;\n\t" TEST_WAIT "\n\tselp.u32 %0, 1, 0, p;\n\t}"                             \
                 : "=r"(done) : ADDRESS(mine), "r"(phase))
#define HAND_OVER(side)                                         \
  {                                                             \
    const Turns turns(pass, side);                              \
    u32 had = 1 + args.zero;                                    \
    if (side == 1) SETTLE(turns.wait_of(0));                    \
    window.ready(had);                                          \
    window.ready(turns.waits);                                  \
    window.open();                                              \
    UNROLL for (int i = 0; i < N; ++i) TURN(turns.waits[i % 2]); \
    window.wait(had);                                           \
    window.close();                                             \
    if (had == 0) count_fact(args, 0, 1);                       \
    SIGNAL(turns.send_of(N));                                   \
    if (side == 0) SETTLE(turns.wait_of(N));                    \
  }
#else
#define HAND_OVER(side)                    \
  {                                        \
    const Turns turns(pass, side);         \
    if (side == 1) WAIT(turns.wait_of(0)); \
    window.ready(turns.waits);             \
    window.ready(turns.sends);             \
    window.open();                         \
    UNROLL for (int i = 0; i < N; ++i) {   \
      SIGNAL(turns.sends[i % 2]);          \
      WAIT(turns.waits[i % 2]);            \
    }                                      \
    window.close();                        \
    SIGNAL(turns.send_of(N));              \
    if (side == 0) WAIT(turns.wait_of(N)); \
  }
#endif
