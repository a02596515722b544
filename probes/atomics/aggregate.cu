// N trips of DEPTH additions by each lane of ADDEND, a 1 or a value of its own, to one word, the same for all threads of
// all blocks and another in every launch: by CUDA C++'s atomicAdd, whose old value is used (RESULT read) or not. Where
// the compiler can prove that the address is one for all lanes, it adds up the lanes of a warp first and sends one
// operation for them; a part of the sum that only memory knows (ADDRESS hidden) keeps it from that. Where nothing comes
// back, an operation on the same word that it cannot combine waits for the last of them.
#include "probe.cuh"
#include "bandwidth/meet.cuh"

PROBE {
  Window window;
  // One of 128 words, without a division, whose result ptxas does not take for the same in all lanes.
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
