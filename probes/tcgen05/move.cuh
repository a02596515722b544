// tcgen05.ld and st of the sweep's SHAPE and NUM, which move MOVE_REGISTERS (1, 2, 4, 8, 16 or 32) per lane.
#undef MOVE_REGISTERS
#undef MOVE_LD
#undef MOVE_ST
#undef MOVE_OUT
#undef MOVE_IN
#undef MOVE_TEXT
#undef MOVE_AT

#if defined(SHAPE_32x32b) || defined(SHAPE_16x64b)
#define MOVE_REGISTERS NUM
#elif defined(SHAPE_16x128b)
#define MOVE_REGISTERS (2 * NUM)
#else
#define MOVE_REGISTERS (4 * NUM)
#endif

#define MOVE_OUT_4(v, i) "=r"(v[i]), "=r"(v[i + 1]), "=r"(v[i + 2]), "=r"(v[i + 3])
#define MOVE_IN_4(v, i) "r"(v[i]), "r"(v[i + 1]), "r"(v[i + 2]), "r"(v[i + 3])
#define MOVE_OUT_16(v, i) MOVE_OUT_4(v, i), MOVE_OUT_4(v, i + 4), MOVE_OUT_4(v, i + 8), MOVE_OUT_4(v, i + 12)
#define MOVE_IN_16(v, i) MOVE_IN_4(v, i), MOVE_IN_4(v, i + 4), MOVE_IN_4(v, i + 8), MOVE_IN_4(v, i + 12)
#define MOVE_TEXT_4 "%0, %1, %2, %3"
#define MOVE_TEXT_16 MOVE_TEXT_4 ", %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"

#if MOVE_REGISTERS == 1
#define MOVE_OUT(v) "=r"(v[0])
#define MOVE_IN(v) "r"(v[0])
#define MOVE_TEXT "%0"
#define MOVE_AT "%1"
#elif MOVE_REGISTERS == 4
#define MOVE_OUT(v) MOVE_OUT_4(v, 0)
#define MOVE_IN(v) MOVE_IN_4(v, 0)
#define MOVE_TEXT MOVE_TEXT_4
#define MOVE_AT "%4"
#elif MOVE_REGISTERS == 16
#define MOVE_OUT(v) MOVE_OUT_16(v, 0)
#define MOVE_IN(v) MOVE_IN_16(v, 0)
#define MOVE_TEXT MOVE_TEXT_16
#define MOVE_AT "%16"
#else
#error "1, 4 or 16 registers a lane"
#endif

#define MOVE_LD(v, at)                                                                                       \
  asm volatile("tcgen05.ld.sync.aligned." SHAPE ".x" TM_STR(NUM) ".b32 {" MOVE_TEXT "}, [" MOVE_AT "];" \
               : MOVE_OUT(v)                                                                                 \
               : "r"(at))
#define MOVE_ST(v, at)                                                                                            \
  asm volatile("tcgen05.st.sync.aligned." SHAPE ".x" TM_STR(NUM) ".b32 [" MOVE_AT "], {" MOVE_TEXT "};" ::MOVE_IN(v), \
               "r"(at))
