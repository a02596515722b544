// N trips of DEPTH additions of ADDEND, a 1 or a value of each lane, by CUDA C++'s atomicAdd to one word. The word is
// the same for all threads of all blocks and differs between launches. The old value is used (RESULT read) or not. If
// the compiler can prove that all lanes have the same address, it first adds up the lanes of a warp and issues one
// operation for them. An offset that is loaded from memory (ADDRESS hidden) prevents that. If the old value is not
// used, an operation on the same word that the compiler cannot combine waits for the last addition.
#include "probe.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  // Selects one of 128 words without a division, whose result ptxas does not recognise as equal in all lanes.
  char* const place = args.data + 65536 + (launch_hash(args) & 127) * 65536;
  u32* const hidden = reinterpret_cast<u32*>(place + (input(args, 0) & args.zero));
#ifdef ADDRESS_hidden
  u32* const word = hidden;
#else
  u32* const word = reinterpret_cast<u32*>(place);
#endif
  u32 addend[DEPTH];
#ifdef ADDEND_own
  UNROLL for (int i = 0; i < DEPTH; ++i) addend[i] = input(args, 1 + i);
#else
  UNROLL for (int i = 0; i < DEPTH; ++i) addend[i] = 1;
#endif
  PASSES {
    window.ready(reinterpret_cast<u64>(hidden));
    window.ready(addend);
    meet(args, pass);
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < N; ++trip) {
#ifdef RESULT_read
      u32 old[DEPTH];
      UNROLL for (int i = 0; i < DEPTH; ++i) old[i] = atomicAdd(word, addend[i]);
      window.wait(old);
#else
      UNROLL for (int i = 0; i < DEPTH; ++i) atomicAdd(word, addend[i]);
#endif
    }
#ifdef RESULT_unused
    u32 last;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(last) : "l"(hidden), "r"(addend[0]));
    window.wait(last);
#endif
    window.close();
  }
  window.report(args);
}
