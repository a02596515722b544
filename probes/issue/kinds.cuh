// One machine instruction of each kind, as a chain on a value of its own: KIND(A) chain, chain.load(args, i), and then
// chain.step() as often as wanted. A kind is named as SASS names it, which is what the window claims. No operand is
// uniform or constant, and no kind has a form that ptxas could write with another opcode: an add of two sources may
// become IADD3, VIADD or IMAD.IADD, of three it is IADD3.

// What waits for the results: an operation of its own, where the one that Window has is what is measured.
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

// A chain through one 32-bit register, and two operands beside it.
struct Word {
  u32 v, b, c;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    v = input(args, i);
    b = input(args, 40);
    c = input(args, 41);
  }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); window.ready(b); window.ready(c); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

template <u32 name>
struct Kind;

#define WORD_KIND(name, ptx)                                                       \
  template <>                                                                      \
  struct Kind<id(name)> : Word {                                                   \
    __device__ __forceinline__ void step() { asm volatile(ptx : "+r"(v) : "r"(b), "r"(c)); } \
  };

WORD_KIND("ffma", "fma.rn.f32 %0, %0, %1, %2;")
WORD_KIND("fmul", "mul.rn.f32 %0, %0, %1;")
WORD_KIND("imad", "mad.lo.u32 %0, %0, %1, %2;")
WORD_KIND("iadd3", "{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }")
WORD_KIND("lop3", "lop3.b32 %0, %0, %1, %2, 0xe8;")
WORD_KIND("shf", "shf.l.wrap.b32 %0, %0, %1, %2;")
WORD_KIND("prmt", "prmt.b32 %0, %0, %1, %2;")
WORD_KIND("hfma2", "fma.rn.f16x2 %0, %0, %1, %2;")
WORD_KIND("mufu", "ex2.approx.ftz.f32 %0, %0;")
WORD_KIND("popc", "popc.b32 %0, %0;")
WORD_KIND("f2i", "cvt.rzi.s32.f32 %0, %0;")
WORD_KIND("shfl", "shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;")
#undef WORD_KIND

template <>
struct Kind<id("dfma")> {
  double v, b, c;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    v = wide(args, i);
    b = wide(args, 40);
    c = wide(args, 41);
  }
  // Loaded whole: halves would be brought together inside the window.
  static __device__ __forceinline__ double wide(const Args& args, u32 i) {
    return reinterpret_cast<const volatile double*>(args.data)[i * blockDim.x + threadIdx.x];
  }
  __device__ __forceinline__ void step() { asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(v) : "d"(b), "d"(c)); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); window.ready(b); window.ready(c); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

// A word of shared memory that holds its own address, another one for each lane and chain.
template <>
struct Kind<id("lds")> {
  u32 v;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    __shared__ u32 own[8 * 32];
    v = shared_address(own + i / 4 * 32 + lane());
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(v) : "memory");
    // Read back, or the address would be copied inside the window.
    asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(v)::"memory");
  }
  __device__ __forceinline__ void step() { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(v)); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

// A word of constant memory that holds its own address: all of it is zero, and so there is one at address 0.
__constant__ u32 zero_word;
template <>
struct Kind<id("ldc")> {
  u32 v;
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    v = (input(args, i) & args.zero) + *const_cast<const volatile u32*>(&zero_word);
  }
  __device__ __forceinline__ void step() { asm volatile("ld.const.u32 %0, [%0];" : "+r"(v)); }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};

template <>
struct Kind<id("hmma")> {
  u32 a[4], b[2], v[4];
  __device__ __forceinline__ void load(const Args& args, u32 i) {
    UNROLL for (int k = 0; k < 4; ++k) a[k] = input(args, 40 + k);
    UNROLL for (int k = 0; k < 2; ++k) b[k] = input(args, 44 + k);
    UNROLL for (int k = 0; k < 4; ++k) v[k] = input(args, i + k);
  }
  __device__ __forceinline__ void step() {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(v[0]), "+r"(v[1]), "+r"(v[2]), "+r"(v[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  __device__ __forceinline__ void ready(Window& window) const { window.ready(a); window.ready(b); window.ready(v); }
  __device__ __forceinline__ void wait(Window& window) const { WAIT(window, v); }
};
}  // namespace kinds

#undef KIND
#define KIND(name) kinds::Kind<kinds::id(name)>
