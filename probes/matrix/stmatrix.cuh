// stmatrix of the sweep's NUM (1, 2, 4) and TRANS (0, 1).
#undef STMATRIX_TRANS
#undef STMATRIX

#if TRANS
#define STMATRIX_TRANS ".trans"
#else
#define STMATRIX_TRANS ""
#endif

#if NUM == 1
#define STMATRIX(address, s)                                                                             \
  asm volatile("stmatrix.sync.aligned.m8n8.x1" STMATRIX_TRANS ".shared.b16 [%0], {%1};" ::"r"(address), "r"(s[0]))
#elif NUM == 2
#define STMATRIX(address, s)                                                                                   \
  asm volatile("stmatrix.sync.aligned.m8n8.x2" STMATRIX_TRANS ".shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(s[0]), \
               "r"(s[1]))
#else
#define STMATRIX(address, s)                                                                                            \
  asm volatile("stmatrix.sync.aligned.m8n8.x4" STMATRIX_TRANS ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),     \
               "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]))
#endif
