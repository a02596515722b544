// ldmatrix and stmatrix of bytes with the sweep's SHAPE, NUM and FORMAT: b8, or b6x16_p32 and b4x16_p64 for elements of
// 6 or 4 bits, of which 16 and padding take the place of 16 bytes. A lane's part of an m16n16 matrix takes two
// registers, that of an m8n16 matrix one.
#undef BYTE_WORDS
#undef BYTE_TYPE
#undef BYTE_TRANS
#undef BYTE_STR_
#undef BYTE_STR
#undef LDMATRIX_BYTE
#undef STMATRIX_BYTE
#undef LDMATRIX_BYTE_OP
#undef STMATRIX_BYTE_OP
#define BYTE_STR_(x) #x
#define BYTE_STR(x) BYTE_STR_(x)

#ifdef SHAPE_m16n16
#define BYTE_WORDS (2 * NUM)
#define BYTE_TRANS ".trans"
#else
#define BYTE_WORDS NUM
#define BYTE_TRANS ""
#endif
#ifdef FORMAT_b8
#define BYTE_TYPE ".b8"
#else
#define BYTE_TYPE ".b8x16." FORMAT
#endif
#define LDMATRIX_BYTE_OP "ldmatrix.sync.aligned." SHAPE ".x" BYTE_STR(NUM) BYTE_TRANS ".shared" BYTE_TYPE
#define STMATRIX_BYTE_OP "stmatrix.sync.aligned.m16n8.x" BYTE_STR(NUM) ".trans.shared.b8"

#if BYTE_WORDS == 1
#define LDMATRIX_BYTE(d, address) asm volatile(LDMATRIX_BYTE_OP " {%0}, [%1];" : "=r"(d[0]) : "r"(address))
#elif BYTE_WORDS == 2
#define LDMATRIX_BYTE(d, address) \
  asm volatile(LDMATRIX_BYTE_OP " {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(address))
#else
#define LDMATRIX_BYTE(d, address)                                 \
  asm volatile(LDMATRIX_BYTE_OP " {%0, %1, %2, %3}, [%4];"        \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])   \
               : "r"(address))
#endif

#if NUM == 1
#define STMATRIX_BYTE(address, s) asm volatile(STMATRIX_BYTE_OP " [%0], {%1};" ::"r"(address), "r"(s[0]))
#elif NUM == 2
#define STMATRIX_BYTE(address, s) asm volatile(STMATRIX_BYTE_OP " [%0], {%1, %2};" ::"r"(address), "r"(s[0]), "r"(s[1]))
#else
#define STMATRIX_BYTE(address, s)                                                                               \
  asm volatile(STMATRIX_BYTE_OP " [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(s[0]), "r"(s[1]), "r"(s[2]),      \
               "r"(s[3]))
#endif
