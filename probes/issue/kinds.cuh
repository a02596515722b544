// One machine instruction of each kind, as a chain through its own value: KIND(A) chain, chain.load(args, i), and then
// chain.step(shared) as often as needed. A kind is named as in SASS, which is what the window claims. No operand is
// uniform or constant, and no kind can be written with another opcode by ptxas: an add of two sources may become IADD3,
// VIADD or IMAD.IADD, but one of three sources is always IADD3.
//
// One of three sources is the chain's register, one is an immediate, and one is a register that all chains share. A
// chain with three registers of its own would wait for the register file. Reuse flags cannot be relied on, because an
// instruction of another warp may come between.

// What waits for the results: a different operation if that of Window is the one measured.
#undef WAIT
#if defined(A_lop3) || defined(B_lop3)
#define WAIT(window, v) smallest(window, v)
#else
#define WAIT(window, v) window.wait(v)
#endif

namespace kinds {
__device__ __forceinline__ void smallest(Window& window, u32 v) {
  asm volatile("min.u32 %0, %0, %1;" : "+r"(window.guard) : "r"(v) : "memory");
}
__device__ __forceinline__ void smallest(Window& window, double v) {
  smallest(window, static_cast<u32>(__double2loint(v)));
  smallest(window, static_cast<u32>(__double2hiint(v)));
}
__device__ __forceinline__ void smallest(Window& window, const u32 (&values)[4]) {
  UNROLL for (int k = 4; k-- > 0;) smallest(window, values[k]);
}

__device__ constexpr u32 id(const char* name) { return *name ? id(name + 1) * 31u + static_cast<u32>(*name) : 7u; }

// What all chains read in addition to their own values.
struct Shared {
  u32 word, a[4], b[2];
  double wide;
  __device__ __forceinline__ void load(const Args& args) {
    word = input(args, 40);
    UNROLL for (int k = 0; k < 4; ++k) a[k] = input(args, 41 + k);
    UNROLL for (int k = 0; k < 2; ++k) b[k] = input(args, 45 + k);
    wide = whole(args, 24);
  }
  // Loaded as a whole, because two halves would be assembled inside the window.
  static __device__ __forceinline__ double whole(const Args& args, u32 i) {
    return reinterpret_cast<const volatile double*>(args.data)[i * blockDim.x + threadIdx.x];
  }
  __device__ __forceinline__ void ready(Window& window) const {
    window.ready(word);
    window.ready(a);
    window.ready(b);
    window.ready(wide);
  }
};

// A chain through one 32-bit register.
struct Word {
  u32 v;
  __device__ __forceinline__ void load(const Args& args, u32 i) { v = input(args, i); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

template <u32 name>
struct Kind;

#define WORD_KIND(name, ptx)                                                                             \
  template <>                                                                                            \
  struct Kind<id(name)> : Word {                                                                         \
    __device__ __forceinline__ void step(const Shared& s) { asm volatile(ptx : "+r"(v) : "r"(s.word)); } \
  };

WORD_KIND("ffma", "fma.rn.f32 %0, %0, 0f3F9E3779, %1;")
WORD_KIND("fmul", "mul.rn.f32 %0, %0, %1;")
WORD_KIND("imad", "mad.lo.u32 %0, %0, 0x9e3779b9, %1;")
WORD_KIND("iadd3", "{ .reg .u32 t; add.u32 t, %0, 0x9e3779b9; add.u32 %0, t, %1; }")
WORD_KIND("lop3", "lop3.b32 %0, %0, 0x9e3779b9, %1, 0xe8;")
WORD_KIND("shf", "shf.l.wrap.b32 %0, %0, %1, 7;")
WORD_KIND("prmt", "prmt.b32 %0, %0, 0x9e3779b9, %1;")
WORD_KIND("hfma2", "{ .reg .b32 k; mov.b32 k, 0x3c033c03; fma.rn.f16x2 %0, %0, k, %1; }")
WORD_KIND("mufu", "ex2.approx.ftz.f32 %0, %0;")
WORD_KIND("popc", "popc.b32 %0, %0;")
WORD_KIND("f2i", "cvt.rzi.s32.f32 %0, %0;")
WORD_KIND("shfl", "shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;")
#undef WORD_KIND

template <>
struct Kind<id("dfma")> {
  double v;
  __device__ __forceinline__ void load(const Args& args, u32 i) { v = Shared::whole(args, i / 2); }
  __device__ __forceinline__ void step(const Shared& s) {
    asm volatile("fma.rn.f64 %0, %0, 0d3FF3C00000000000, %1;" : "+d"(v) : "d"(s.wide));
  }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

// A word of shared memory that holds its own address, a different one for each lane and chain.
template <>
struct Kind<id("lds")> {
  u32 v;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    __shared__ u32 own[8 * 32];
    v = shared_address(own + i / 4 * 32 + lane());
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(v) : "memory");
    // Read back; otherwise the address would be copied inside the window.
    asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(v)::"memory");
  }
  __device__ __forceinline__ void step(const Shared&) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(v)); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

// A word of constant memory that holds its own address: all constant memory is zero, so the word at address 0 does.
__constant__ u32 zero_word;
template <>
struct Kind<id("ldc")> {
  u32 v;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    v = (input(args, i) & args.zero) + *const_cast<const volatile u32*>(&zero_word);
  }
  __device__ __forceinline__ void step(const Shared&) { asm volatile("ld.const.u32 %0, [%0];" : "+r"(v)); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

template <>
struct Kind<id("hmma")> {
  u32 v[4];
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    UNROLL for (int k = 0; k < 4; ++k) v[k] = input(args, i + k);
  }
  __device__ __forceinline__ void step(const Shared& s) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
                 : "r"(s.a[0]), "r"(s.a[1]), "r"(s.a[2]), "r"(s.a[3]), "r"(s.b[0]), "r"(s.b[1]));
  }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};
}  // namespace kinds

#undef KIND
#define KIND(name) kinds::Kind<kinds::id(name)>
