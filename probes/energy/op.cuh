// The sweep's OP as one machine instruction: op(d, a, b) replaces d.
#undef OP_ASM
#undef OP_WORDS

#define OP_WORDS 1
#if defined(OP_fadd)
#define OP_ASM "add.rn.ftz.f32 %0, %0, %1;"  // FADD.FTZ: the loop has FADD of its own
#elif defined(OP_ffma)
#define OP_ASM "fma.rn.f32 %0, %1, %2, %0;"
#elif defined(OP_iadd3)
#define OP_ASM "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}"
#elif defined(OP_imad)
#define OP_ASM "mad.lo.u32 %0, %0, %1, %2;"
#elif defined(OP_lop3)
#define OP_ASM "lop3.b32 %0, %0, %1, %2, 0x96;"
#elif defined(OP_shf)
#define OP_ASM "shf.l.wrap.b32 %0, %0, %1, %2;"
#elif defined(OP_prmt)
#define OP_ASM "prmt.b32 %0, %0, %1, %2;"
#elif defined(OP_hfma2)
#define OP_ASM "fma.rn.f16x2 %0, %1, %2, %0;"
#elif defined(OP_i2fp)
#define OP_ASM "cvt.rn.f32.s32 %0, %0;"
#elif defined(OP_f2fp)
#define OP_ASM "cvt.rn.f16x2.f32 %0, %0, %1;"
#elif defined(OP_dfma)
#undef OP_WORDS
#define OP_WORDS 2
#define OP_ASM "fma.rn.f64 %0, %1, %2, %0;"
#elif defined(OP_mufu)
#define OP_ASM "tanh.approx.f32 %0, %0;"
#elif defined(OP_fmul)
#define OP_ASM "mul.rn.f32 %0, %0, %1;"
#elif defined(OP_imad_wide)
#undef OP_WORDS
#define OP_WORDS 2
#define OP_ASM "{.reg .u32 l, h, a, b; mov.b64 {l, h}, %0; mov.b64 {a, b}, %1; mad.wide.u32 %0, l, a, %0;}"
#elif defined(OP_hadd2)
#define OP_ASM "add.rn.f16x2 %0, %0, %1;"
#elif defined(OP_fmnmx)
#define OP_ASM "max.f32 %0, %1, %0;"
#endif

#ifdef OP_imad_wide
using Words = u64;
__device__ __forceinline__ Words operand(const Args& args, u32 i) { return u64{input(args, 2 * i)} << 32 | input(args, 2 * i + 1); }
__device__ __forceinline__ void op(Words& d, Words a, Words b) { asm volatile(OP_ASM : "+l"(d) : "l"(a), "l"(b)); }
#elif OP_WORDS == 2
using Words = double;
__device__ __forceinline__ Words operand(const Args& args, u32 i) {
  return __longlong_as_double(static_cast<long long>(u64{input(args, 2 * i)} << 32 | input(args, 2 * i + 1)));
}
__device__ __forceinline__ void op(Words& d, Words a, Words b) { asm volatile(OP_ASM : "+d"(d) : "d"(a), "d"(b)); }
#elif defined(OP_fadd) || defined(OP_ffma) || defined(OP_mufu) || defined(OP_fmul) || defined(OP_fmnmx)
using Words = float;
__device__ __forceinline__ Words operand(const Args& args, u32 i) { return __uint_as_float(input(args, i)); }
__device__ __forceinline__ void op(Words& d, Words a, Words b) { asm volatile(OP_ASM : "+f"(d) : "f"(a), "f"(b)); }
#else
using Words = u32;
__device__ __forceinline__ Words operand(const Args& args, u32 i) { return input(args, i); }
__device__ __forceinline__ void op(Words& d, Words a, Words b) { asm volatile(OP_ASM : "+r"(d) : "r"(a), "r"(b)); }
#endif
