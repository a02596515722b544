// wgmma of the sweep: m64n<COLS>k<K>, inputs AB, accumulator ACC, A from shared memory or from registers (A), dense or
// sparse (SPARSE), with operands laid out by MAJOR (k or mn) and SWIZZLE (0: none, or 32, 64, 128 bytes). A step is
// what one wgmma consumes: 32 bytes of each row of A and of B, for every type. A sparse A has 32 bytes of the half that
// is stored, for 64 bytes of B.
#undef WG_D
#undef WG_OP
#undef WG_TAIL
#undef WG_SPARSE
#undef WG_POPC
#undef WG_STR
#undef WG_STR_
#undef WG_TEXT
#undef WG_LIST
#undef WG_0
#undef WG_1
#undef WG_2
#undef WG_3
#undef WG_4
#undef WG_5
#undef WG_B_STEP
#undef WG_TILE
#undef WG_DENSE
#undef WGMMA
#undef WGMMA_NEW

#define WG_STR_(x) #x
#define WG_STR(x) WG_STR_(x)

#ifdef ACC_f16
#define WG_D (COLS / 4)
#else
#define WG_D (COLS / 2)
#endif

// The operands after scale-d: signs of A and B, and for 16-bit inputs whether they are stored along M or N.
#if defined(AB_f16) || defined(AB_bf16)
#if defined(MAJOR_mn) && defined(A_shared)
#define WG_TAIL ", 1, 1, 1, 1"
#elif defined(MAJOR_mn)
#define WG_TAIL ", 1, 1, 1"
#elif defined(A_shared)
#define WG_TAIL ", 1, 1, 0, 0"
#else
#define WG_TAIL ", 1, 1, 0"
#endif
#elif defined(ACC_s32)
#define WG_TAIL ""
#else
#define WG_TAIL ", 1, 1"
#endif

#if SPARSE
#define WG_SPARSE ".sp"
#else
#define WG_SPARSE ""
#endif
#ifdef AB_b1
#define WG_POPC ".and.popc"
#else
#define WG_POPC ""
#endif
#define WG_OP                                                                                                      \
  "wgmma.mma_async" WG_SPARSE ".sync.aligned.m64n" WG_STR(COLS) "k" WG_STR(K) "." ACC "." AB "." AB WG_POPC " "

// D is %0 up to WG_D; the other operands are numbered from there.
#define WG_LIST_2(d, i) "+r"(d[i]), "+r"(d[i + 1])
#define WG_LIST_4(d, i) WG_LIST_2(d, i), WG_LIST_2(d, i + 2)
#define WG_LIST_8(d, i) WG_LIST_4(d, i), WG_LIST_4(d, i + 4)
#define WG_LIST_16(d, i) WG_LIST_8(d, i), WG_LIST_8(d, i + 8)
#define WG_LIST_32(d, i) WG_LIST_16(d, i), WG_LIST_16(d, i + 16)
#define WG_LIST_64(d, i) WG_LIST_32(d, i), WG_LIST_32(d, i + 32)
#define WG_TEXT_2 "%0, %1"
#define WG_TEXT_4 WG_TEXT_2 ", %2, %3"
#define WG_TEXT_8 \
  WG_TEXT_4 \
  ", %4, %5, %6, %7"
#define WG_TEXT_16 \
  WG_TEXT_8 \
  ", %8, %9, %10, %11, %12, %13, %14, %15"
#define WG_TEXT_24 \
  WG_TEXT_16 \
  ", %16, %17, %18, %19, %20, %21, %22, %23"
#define WG_TEXT_32 \
  WG_TEXT_24 \
  ", %24, %25, %26, %27, %28, %29, %30, %31"
#define WG_TEXT_48 \
  WG_TEXT_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define WG_TEXT_64 \
  WG_TEXT_48 \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define WG_TEXT_96 \
  WG_TEXT_64 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WG_TEXT_128 \
  WG_TEXT_96 \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#if WG_D == 2
#define WG_TEXT WG_TEXT_2
#define WG_LIST(d) WG_LIST_2(d, 0)
#define WG_0 "%2"
#define WG_1 "%3"
#define WG_2 "%4"
#define WG_3 "%5"
#define WG_4 "%6"
#define WG_5 "%7"
#elif WG_D == 4
#define WG_TEXT WG_TEXT_4
#define WG_LIST(d) WG_LIST_4(d, 0)
#define WG_0 "%4"
#define WG_1 "%5"
#define WG_2 "%6"
#define WG_3 "%7"
#define WG_4 "%8"
#define WG_5 "%9"
#elif WG_D == 8
#define WG_TEXT WG_TEXT_8
#define WG_LIST(d) WG_LIST_8(d, 0)
#define WG_0 "%8"
#define WG_1 "%9"
#define WG_2 "%10"
#define WG_3 "%11"
#define WG_4 "%12"
#define WG_5 "%13"
#elif WG_D == 16
#define WG_TEXT WG_TEXT_16
#define WG_LIST(d) WG_LIST_16(d, 0)
#define WG_0 "%16"
#define WG_1 "%17"
#define WG_2 "%18"
#define WG_3 "%19"
#define WG_4 "%20"
#define WG_5 "%21"
#elif WG_D == 24
#define WG_TEXT WG_TEXT_24
#define WG_LIST(d) WG_LIST_16(d, 0), WG_LIST_8(d, 16)
#define WG_0 "%24"
#define WG_1 "%25"
#define WG_2 "%26"
#define WG_3 "%27"
#define WG_4 "%28"
#define WG_5 "%29"
#elif WG_D == 32
#define WG_TEXT WG_TEXT_32
#define WG_LIST(d) WG_LIST_32(d, 0)
#define WG_0 "%32"
#define WG_1 "%33"
#define WG_2 "%34"
#define WG_3 "%35"
#define WG_4 "%36"
#define WG_5 "%37"
#elif WG_D == 48
#define WG_TEXT WG_TEXT_48
#define WG_LIST(d) WG_LIST_32(d, 0), WG_LIST_16(d, 32)
#define WG_0 "%48"
#define WG_1 "%49"
#define WG_2 "%50"
#define WG_3 "%51"
#define WG_4 "%52"
#define WG_5 "%53"
#elif WG_D == 64
#define WG_TEXT WG_TEXT_64
#define WG_LIST(d) WG_LIST_64(d, 0)
#define WG_0 "%64"
#define WG_1 "%65"
#define WG_2 "%66"
#define WG_3 "%67"
#define WG_4 "%68"
#define WG_5 "%69"
#elif WG_D == 96
#define WG_TEXT WG_TEXT_96
#define WG_LIST(d) WG_LIST_64(d, 0), WG_LIST_32(d, 64)
#define WG_0 "%96"
#define WG_1 "%97"
#define WG_2 "%98"
#define WG_3 "%99"
#define WG_4 "%100"
#define WG_5 "%101"
#elif WG_D == 128
#define WG_TEXT WG_TEXT_128
#define WG_LIST(d) WG_LIST_64(d, 0), WG_LIST_64(d, 64)
#define WG_0 "%128"
#define WG_1 "%129"
#define WG_2 "%130"
#define WG_3 "%131"
#define WG_4 "%132"
#define WG_5 "%133"
#endif

#if defined(A_shared) && SPARSE
#define WGMMA(d, a, b, meta)                                                                       \
  asm volatile(WG_OP "{" WG_TEXT "}, " WG_0 ", " WG_1 ", " WG_2 ", 0, 1" WG_TAIL ";" : WG_LIST(d) \
               : "l"(a), "l"(b), "r"(meta))
#elif defined(A_shared)
#define WG_DENSE(d, a, b, add) \
  asm volatile(WG_OP "{" WG_TEXT "}, " WG_0 ", " WG_1 ", " add WG_TAIL ";" : WG_LIST(d) : "l"(a), "l"(b))
#define WGMMA(d, a, b, meta) WG_DENSE(d, a, b, "1")
// D becomes the product, whatever it was.
#define WGMMA_NEW(d, a, b) WG_DENSE(d, a, b, "0")
#elif SPARSE
#define WGMMA(d, a, b, meta)                                                                                        \
  asm volatile(WG_OP "{" WG_TEXT "}, {" WG_0 ", " WG_1 ", " WG_2 ", " WG_3 "}, " WG_4 ", " WG_5 ", 0, 1" WG_TAIL ";" \
               : WG_LIST(d)                                                                                         \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(meta))
#else
#define WGMMA(d, a, b, meta)                                                                              \
  asm volatile(WG_OP "{" WG_TEXT "}, {" WG_0 ", " WG_1 ", " WG_2 ", " WG_3 "}, " WG_4 ", 1" WG_TAIL ";" \
               : WG_LIST(d)                                                                               \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#endif

#if SPARSE
#define WG_B_STEP 64
#else
#define WG_B_STEP 32
#endif

__device__ __forceinline__ void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wg_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int groups = 0>
__device__ __forceinline__ void wg_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// The matrix descriptor of step `step` of a tile of ROWS rows (M or N) at `base`, with BYTES of K each. Steps are
// stored one after another, or side by side in the rows of a swizzle. PTX ISA, "Matrix descriptor": bits 0 to 13 the
// address, 16 to 29 the leading and 32 to 45 the stride distance, all in units of 16 bytes; 62 and 63 the swizzle.
template <u32 rows, u32 bytes>
__device__ __forceinline__ u64 wg_descriptor(u32 base, u32 step) {
  constexpr u32 width = SWIZZLE == 0 ? 16 : SWIZZLE;
#ifdef MAJOR_mn
  // Atoms of 8 K by `width` bytes of M or N, two of them along K.
  constexpr u32 lead = SWIZZLE == 0 ? 128 : 16 * width, stride = SWIZZLE == 0 ? 256 : 8 * width;
  const u32 address = base + step * rows * bytes;
#else
  // Atoms of 8 rows by `width` bytes of K.
  constexpr u32 lead = SWIZZLE == 0 ? 128 : 16, stride = SWIZZLE == 0 ? 8 * bytes : 8 * width;
  constexpr u32 steps = width / bytes > 0 ? width / bytes : 1;
  const u32 address = base + step / steps * rows * bytes * steps + step % steps * bytes;
#endif
  constexpr u64 mode = SWIZZLE == 128 ? 1 : SWIZZLE == 64 ? 2 : SWIZZLE == 32 ? 3 : 0;
  return mode << 62 | u64{stride / 16} << 32 | u64{lead / 16} << 16 | (address >> 4 & 0x3fff);
}
