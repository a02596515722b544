// tcgen05.mma of the sweep: KIND, GROUP (blocks that multiply together), ROWS rows of D in each and COLS columns, A from shared or
// from tensor memory (A), FORM (dense, sp, ws, ws_sp), TYPES and DTYPE (the bits of the instruction descriptor for A and B, and
// for D), SCALE (none, 1X, 2X or 4X scale factors for a row of a step). A step is what one instruction consumes: 32
// bytes of each row of A and of B, for every kind; a sparse A has 32 bytes of the half that is stored, for 64 of B.
#include "tcgen05/tmem.cuh"

#undef TM_FORM
#undef TM_META
#undef TM_B_STEP
#undef TM_A
#undef TM_FROM
#undef TM_SCALED
#undef TM_SCALES
#undef TM_ONE
#undef TM_POWERS
#undef TM_MULTIPLY
#undef TM_PROBE

#if defined(FORM_sp) || defined(FORM_ws_sp)
#ifdef FORM_sp
#define TM_FORM ".sp"
#else
#define TM_FORM ".ws.sp"
#endif
#define TM_META "[%4], "
#define TM_B_STEP 64
#else
#define TM_META ""
#define TM_B_STEP 32
#ifdef FORM_ws
#define TM_FORM ".ws"
#else
#define TM_FORM ""
#endif
#endif
#ifdef A_tensor
#define TM_A "[%1]"
#define TM_FROM(a) "r"(static_cast<u32>(a))
#else
#define TM_A "%1"
#define TM_FROM(a) "l"(a)
#endif
#ifdef SCALE_none
#define TM_SCALED ""
#define TM_SCALES ""
#else
#define TM_SCALED ".block_scale.scale_vec::" SCALE
#define TM_SCALES ", [%5], [%6]"
#endif
// The scale factor 1.0, four times: as UE4M3 where a factor is for 16 elements, else as UE8M0, a power of two.
#ifdef SCALE_4X
#define TM_ONE 0x38383838u
#define TM_POWERS 0
#else
#define TM_ONE 0x7f7f7f7fu
#ifdef SCALE_none
#define TM_POWERS 0
#else
#define TM_POWERS 1
#endif
#endif
#define TM_MULTIPLY(from, i)                                                                                    \
  asm volatile("tcgen05.mma" TM_FORM TM_GROUP ".kind::" KIND TM_SCALED " [%0], " TM_A       \
               ", %2, " TM_META "%3" TM_SCALES ", 1;" ::"r"(from.d), TM_FROM(from.a(i)), "l"(from.b(i)),        \
               "r"(from.instruction), "r"(from.d + 448), "r"(from.d + 384), "r"(from.d + 416))
#if GROUP == 2
#define TM_PROBE extern "C" __global__ void __cluster_dims__(2, 1, 1) KERNEL(const __grid_constant__ Args args)
#else
#define TM_PROBE PROBE
#endif

// The operands of STEPS instructions. Each block of a pair has half of the rows of A, of the columns of B, and of D.
struct TmOperands {
  static constexpr u32 a_stage = ROWS * 128, b_stage = COLS / GROUP * 128, b_steps = 128 / TM_B_STEP;
  u32 a_tile, b_tile, d, instruction;

  // By a block of four warps. Tensor memory: D from column 0 on, A from 256, scale factors of A from 384 and of B from
  // 416, and which elements of a sparse A are stored from 448 on.
  __device__ __forceinline__ TmOperands(const Args& args, char* tiles, u32 at) : d(at) {
    constexpr u32 bytes = (STEPS + 3) / 4 * a_stage + (STEPS + b_steps - 1) / b_steps * b_stage;
    for (u32 i = threadIdx.x; i < bytes / 16; i += 128)
      reinterpret_cast<uint4*>(tiles)[i] = reinterpret_cast<const uint4*>(args.data)[i];
    const volatile u32* stored = reinterpret_cast<const u32*>(args.data) + threadIdx.x;
    for (u32 column = 0; column < 512; ++column) {
      const u32 word = column < 256 ? 0 : column < 384 ? stored[column * 128] : column < 448 ? TM_ONE : 0x44444444;
      asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(at + column + (warp() << 21)), "r"(word));
    }
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    tm_sync();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    a_tile = shared_address(tiles) + args.zero;
    b_tile = a_tile + (STEPS + 3) / 4 * a_stage;
    // PTX ISA, "Instruction descriptor": N / 8 from bit 17 on, M / 16 from bit 24 on; bit 2 for a sparse A, bit 23 for
    // factors that are powers of two.
    constexpr u32 shape = COLS / 8 << 17 | ROWS * GROUP / 16 << 24, sparse = TM_B_STEP == 64 ? 4 : 0, powers = TM_POWERS << 23;
    instruction = (shape | sparse | powers | DTYPE << 4 | TYPES << 7) + args.zero;
  }

  // PTX ISA, "Shared memory descriptor": rows of 128 bytes, swizzled; the next eight rows are 1024 bytes further.
  __device__ __forceinline__ static u64 descriptor(u32 shared) {
    return u64{1024 >> 4 | 1 << 14 | 2u << 29} << 32 | (shared >> 4);
  }
  __device__ __forceinline__ u64 b(u32 i) const {
    return descriptor(b_tile + i / b_steps * b_stage + i % b_steps * TM_B_STEP);
  }
#ifdef A_tensor
  __device__ __forceinline__ u32 a(u32 i) const { return d + 256 + 8 * i; }
#else
  __device__ __forceinline__ u64 a(u32 i) const { return descriptor(a_tile + i / 4 * a_stage + i % 4 * 32); }
#endif
};
