// tcgen05.ld and st of the sweep's SHAPE and NUM, which move MOVE_REGISTERS (1, 2, 4, 8, 16 or 32) per lane, and ld.red,
// which also gives the largest of them. The halves of 16x32bx2 are MOVE_REGISTERS columns apart.
#undef MOVE_REGISTERS
#undef MOVE_LD
#undef MOVE_LD_RED
#undef MOVE_ST
#undef MOVE_OUT
#undef MOVE_IN
#undef MOVE_TEXT
#undef MOVE_AT
#undef MOVE_MOST
#undef MOVE_APART

#if defined(SHAPE_32x32b) || defined(SHAPE_16x64b) || defined(SHAPE_16x32bx2)
#define MOVE_REGISTERS NUM
#elif defined(SHAPE_16x128b)
#define MOVE_REGISTERS (2 * NUM)
#else
#define MOVE_REGISTERS (4 * NUM)
#endif

#ifdef SHAPE_16x32bx2
#define MOVE_APART ", " TM_STR(NUM)
#else
#define MOVE_APART ""
#endif

#define MOVE_OUT_2(v, i) "=r"(v[i]), "=r"(v[i + 1])
#define MOVE_IN_2(v, i) "r"(v[i]), "r"(v[i + 1])
#define MOVE_OUT_4(v, i) MOVE_OUT_2(v, i), MOVE_OUT_2(v, i + 2)
#define MOVE_IN_4(v, i) MOVE_IN_2(v, i), MOVE_IN_2(v, i + 2)
#define MOVE_OUT_8(v, i) MOVE_OUT_4(v, i), MOVE_OUT_4(v, i + 4)
#define MOVE_IN_8(v, i) MOVE_IN_4(v, i), MOVE_IN_4(v, i + 4)
#define MOVE_OUT_16(v, i) MOVE_OUT_8(v, i), MOVE_OUT_8(v, i + 8)
#define MOVE_IN_16(v, i) MOVE_IN_8(v, i), MOVE_IN_8(v, i + 8)
#define MOVE_TEXT_2 "%0, %1"
#define MOVE_TEXT_4 MOVE_TEXT_2 ", %2, %3"
#define MOVE_TEXT_8 MOVE_TEXT_4 ", %4, %5, %6, %7"
#define MOVE_TEXT_16 MOVE_TEXT_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define MOVE_TEXT_32 \
  MOVE_TEXT_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

#if MOVE_REGISTERS == 1
#define MOVE_OUT(v) "=r"(v[0])
#define MOVE_IN(v) "r"(v[0])
#define MOVE_TEXT "%0"
#define MOVE_AT "%1"
#define MOVE_MOST "%2"
#elif MOVE_REGISTERS == 2
#define MOVE_OUT(v) MOVE_OUT_2(v, 0)
#define MOVE_IN(v) MOVE_IN_2(v, 0)
#define MOVE_TEXT MOVE_TEXT_2
#define MOVE_AT "%2"
#define MOVE_MOST "%3"
#elif MOVE_REGISTERS == 4
#define MOVE_OUT(v) MOVE_OUT_4(v, 0)
#define MOVE_IN(v) MOVE_IN_4(v, 0)
#define MOVE_TEXT MOVE_TEXT_4
#define MOVE_AT "%4"
#define MOVE_MOST "%5"
#elif MOVE_REGISTERS == 8
#define MOVE_OUT(v) MOVE_OUT_8(v, 0)
#define MOVE_IN(v) MOVE_IN_8(v, 0)
#define MOVE_TEXT MOVE_TEXT_8
#define MOVE_AT "%8"
#define MOVE_MOST "%9"
#elif MOVE_REGISTERS == 16
#define MOVE_OUT(v) MOVE_OUT_16(v, 0)
#define MOVE_IN(v) MOVE_IN_16(v, 0)
#define MOVE_TEXT MOVE_TEXT_16
#define MOVE_AT "%16"
#define MOVE_MOST "%17"
#elif MOVE_REGISTERS == 32
#define MOVE_OUT(v) MOVE_OUT_16(v, 0), MOVE_OUT_16(v, 16)
#define MOVE_IN(v) MOVE_IN_16(v, 0), MOVE_IN_16(v, 16)
#define MOVE_TEXT MOVE_TEXT_32
#define MOVE_AT "%32"
#define MOVE_MOST "%33"
#else
#error "1, 2, 4, 8, 16 or 32 registers a lane"
#endif

#define MOVE_LD(v, at)                                                                                                 \
  asm volatile("tcgen05.ld.sync.aligned." SHAPE ".x" TM_STR(NUM) ".b32 {" MOVE_TEXT "}, [" MOVE_AT "]" MOVE_APART ";" \
               : MOVE_OUT(v)                                                                                           \
               : "r"(at))
#define MOVE_LD_RED(v, most, at)                                                                              \
  asm volatile("tcgen05.ld.red.sync.aligned." SHAPE ".x" TM_STR(NUM) ".max." TYPE " {" MOVE_TEXT "}, " MOVE_AT \
               ", [" MOVE_MOST "]" MOVE_APART ";"                                                             \
               : MOVE_OUT(v), "=r"(most)                                                                      \
               : "r"(at))
#define MOVE_ST(v, at)                                                                                               \
  asm volatile("tcgen05.st.sync.aligned." SHAPE ".x" TM_STR(NUM) ".b32 [" MOVE_AT "]" MOVE_APART ", {" MOVE_TEXT \
               "};" ::MOVE_IN(v),                                                                                    \
               "r"(at))
