#include "probe.cuh"
PROBE {
  Window window;
  asm volatile(".reg .b32 wd0_0, wd0_1, wd0_2, wd0_3, wd0_4, wd0_5, wd0_6, wd0_7, wd0_8, wd0_9, wd0_10, wd0_11, wd0_12, wd0_13, wd0_14, wd0_15, wd0_16, wd0_17, wd0_18, wd0_19, wd0_20, wd0_21, wd0_22, wd0_23, wd0_24, wd0_25, wd0_26, wd0_27, wd0_28, wd0_29, wd0_30, wd0_31, wd0_32, wd0_33, wd0_34, wd0_35, wd0_36, wd0_37, wd0_38, wd0_39, wd0_40, wd0_41, wd0_42, wd0_43, wd0_44, wd0_45, wd0_46, wd0_47, wd0_48, wd0_49, wd0_50, wd0_51, wd0_52, wd0_53, wd0_54, wd0_55, wd0_56, wd0_57, wd0_58, wd0_59, wd0_60, wd0_61, wd0_62, wd0_63, wd0_64, wd0_65, wd0_66, wd0_67, wd0_68, wd0_69, wd0_70, wd0_71;");
  asm volatile(".reg .b32 wa0_0, wa0_1, wa0_2, wa0_3, wa0_4, wa0_5, wa0_6, wa0_7, wa0_8, wa0_9, wa0_10, wa0_11, wa0_12, wa0_13, wa0_14, wa0_15, wa0_16, wa0_17, wa0_18, wa0_19, wa0_20, wa0_21, wa0_22, wa0_23, wa0_24, wa0_25, wa0_26, wa0_27, wa0_28, wa0_29, wa0_30, wa0_31, wa0_32, wa0_33, wa0_34, wa0_35, wa0_36, wa0_37, wa0_38, wa0_39, wa0_40, wa0_41, wa0_42, wa0_43, wa0_44, wa0_45, wa0_46, wa0_47, wa0_48, wa0_49, wa0_50, wa0_51, wa0_52, wa0_53, wa0_54, wa0_55, wa0_56, wa0_57, wa0_58, wa0_59, wa0_60, wa0_61, wa0_62, wa0_63, wa0_64, wa0_65, wa0_66, wa0_67, wa0_68, wa0_69, wa0_70, wa0_71;");
  asm volatile(".reg .b32 wb0_0;");
  asm volatile("mov.b32 wd0_0, %0;" ::"r"((input(args, 0) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_1, %0;" ::"r"((input(args, 1) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_2, %0;" ::"r"((input(args, 2) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_3, %0;" ::"r"((input(args, 3) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_4, %0;" ::"r"((input(args, 4) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_5, %0;" ::"r"((input(args, 5) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_6, %0;" ::"r"((input(args, 6) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_7, %0;" ::"r"((input(args, 7) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_8, %0;" ::"r"((input(args, 8) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_9, %0;" ::"r"((input(args, 9) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_10, %0;" ::"r"((input(args, 10) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_11, %0;" ::"r"((input(args, 11) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_12, %0;" ::"r"((input(args, 12) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_13, %0;" ::"r"((input(args, 13) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_14, %0;" ::"r"((input(args, 14) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_15, %0;" ::"r"((input(args, 15) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_16, %0;" ::"r"((input(args, 16) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_17, %0;" ::"r"((input(args, 17) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_18, %0;" ::"r"((input(args, 18) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_19, %0;" ::"r"((input(args, 19) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_20, %0;" ::"r"((input(args, 20) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_21, %0;" ::"r"((input(args, 21) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_22, %0;" ::"r"((input(args, 22) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_23, %0;" ::"r"((input(args, 23) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_24, %0;" ::"r"((input(args, 24) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_25, %0;" ::"r"((input(args, 25) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_26, %0;" ::"r"((input(args, 26) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_27, %0;" ::"r"((input(args, 27) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_28, %0;" ::"r"((input(args, 28) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_29, %0;" ::"r"((input(args, 29) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_30, %0;" ::"r"((input(args, 30) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_31, %0;" ::"r"((input(args, 31) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_32, %0;" ::"r"((input(args, 32) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_33, %0;" ::"r"((input(args, 33) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_34, %0;" ::"r"((input(args, 34) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_35, %0;" ::"r"((input(args, 35) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_36, %0;" ::"r"((input(args, 36) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_37, %0;" ::"r"((input(args, 37) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_38, %0;" ::"r"((input(args, 38) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_39, %0;" ::"r"((input(args, 39) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_40, %0;" ::"r"((input(args, 40) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_41, %0;" ::"r"((input(args, 41) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_42, %0;" ::"r"((input(args, 42) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_43, %0;" ::"r"((input(args, 43) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_44, %0;" ::"r"((input(args, 44) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_45, %0;" ::"r"((input(args, 45) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_46, %0;" ::"r"((input(args, 46) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_47, %0;" ::"r"((input(args, 47) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_48, %0;" ::"r"((input(args, 48) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_49, %0;" ::"r"((input(args, 49) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_50, %0;" ::"r"((input(args, 50) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_51, %0;" ::"r"((input(args, 51) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_52, %0;" ::"r"((input(args, 52) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_53, %0;" ::"r"((input(args, 53) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_54, %0;" ::"r"((input(args, 54) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_55, %0;" ::"r"((input(args, 55) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_56, %0;" ::"r"((input(args, 56) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_57, %0;" ::"r"((input(args, 57) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_58, %0;" ::"r"((input(args, 58) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_59, %0;" ::"r"((input(args, 59) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_60, %0;" ::"r"((input(args, 60) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_61, %0;" ::"r"((input(args, 61) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_62, %0;" ::"r"((input(args, 62) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_63, %0;" ::"r"((input(args, 63) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_64, %0;" ::"r"((input(args, 64) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_65, %0;" ::"r"((input(args, 65) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_66, %0;" ::"r"((input(args, 66) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_67, %0;" ::"r"((input(args, 67) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_68, %0;" ::"r"((input(args, 68) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_69, %0;" ::"r"((input(args, 69) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_70, %0;" ::"r"((input(args, 70) & 0xffffffffu)));
  asm volatile("mov.b32 wd0_71, %0;" ::"r"((input(args, 71) & 0xffffffffu)));
  asm volatile("mov.b32 wb0_0, %0;" ::"r"((input(args, 72) & 0xffffffffu)));
  u32 zero = args.zero, passes = args.passes;
  asm volatile("" : "+r"(zero), "+r"(passes));
  _Pragma("unroll 1") for (u32 pass = 0; pass < passes; pass = window.next(pass, zero)) {
    window.ready(zero + passes);
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_1;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_2;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_3;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_4;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_5;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_6;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_7;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_8;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_9;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_10;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_11;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_12;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_13;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_14;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_15;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_16;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_17;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_18;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_19;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_20;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_21;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_22;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_23;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_24;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_25;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_26;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_27;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_28;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_29;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_30;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_31;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_32;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_33;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_34;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_35;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_36;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_37;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_38;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_39;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_40;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_41;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_42;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_43;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_44;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_45;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_46;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_47;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_48;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_49;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_50;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_51;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_52;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_53;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_54;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_55;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_56;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_57;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_58;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_59;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_60;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_61;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_62;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_63;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_64;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_65;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_66;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_67;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_68;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_69;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_70;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wd0_71;" : "=r"(v)); window.ready(v); }
    { u32 v; asm volatile("mov.b32 %0, wb0_0;" : "=r"(v)); window.ready(v); }
    float held = __uint_as_float(zero); window.ready(held);
    __syncthreads();
    window.open();
    _Pragma("unroll 1") for (u32 trip = 0; trip < 8; ++trip) {
#if N * 24 > 0
      asm volatile("and.b32 wd0_0, wd0_0, wb0_0;");
#endif
#if N * 24 > 1
      asm volatile("and.b32 wd0_1, wd0_1, wb0_0;");
#endif
#if N * 24 > 2
      asm volatile("and.b32 wd0_2, wd0_2, wb0_0;");
#endif
#if N * 24 > 3
      asm volatile("and.b32 wd0_3, wd0_3, wb0_0;");
#endif
#if N * 24 > 4
      asm volatile("and.b32 wd0_4, wd0_4, wb0_0;");
#endif
#if N * 24 > 5
      asm volatile("and.b32 wd0_5, wd0_5, wb0_0;");
#endif
#if N * 24 > 6
      asm volatile("and.b32 wd0_6, wd0_6, wb0_0;");
#endif
#if N * 24 > 7
      asm volatile("and.b32 wd0_7, wd0_7, wb0_0;");
#endif
#if N * 24 > 8
      asm volatile("and.b32 wd0_8, wd0_8, wb0_0;");
#endif
#if N * 24 > 9
      asm volatile("and.b32 wd0_9, wd0_9, wb0_0;");
#endif
#if N * 24 > 10
      asm volatile("and.b32 wd0_10, wd0_10, wb0_0;");
#endif
#if N * 24 > 11
      asm volatile("and.b32 wd0_11, wd0_11, wb0_0;");
#endif
#if N * 24 > 12
      asm volatile("and.b32 wd0_12, wd0_12, wb0_0;");
#endif
#if N * 24 > 13
      asm volatile("and.b32 wd0_13, wd0_13, wb0_0;");
#endif
#if N * 24 > 14
      asm volatile("and.b32 wd0_14, wd0_14, wb0_0;");
#endif
#if N * 24 > 15
      asm volatile("and.b32 wd0_15, wd0_15, wb0_0;");
#endif
#if N * 24 > 16
      asm volatile("and.b32 wd0_16, wd0_16, wb0_0;");
#endif
#if N * 24 > 17
      asm volatile("and.b32 wd0_17, wd0_17, wb0_0;");
#endif
#if N * 24 > 18
      asm volatile("and.b32 wd0_18, wd0_18, wb0_0;");
#endif
#if N * 24 > 19
      asm volatile("and.b32 wd0_19, wd0_19, wb0_0;");
#endif
#if N * 24 > 20
      asm volatile("and.b32 wd0_20, wd0_20, wb0_0;");
#endif
#if N * 24 > 21
      asm volatile("and.b32 wd0_21, wd0_21, wb0_0;");
#endif
#if N * 24 > 22
      asm volatile("and.b32 wd0_22, wd0_22, wb0_0;");
#endif
#if N * 24 > 23
      asm volatile("and.b32 wd0_23, wd0_23, wb0_0;");
#endif
#if N * 24 > 24
      asm volatile("and.b32 wd0_24, wd0_24, wb0_0;");
#endif
#if N * 24 > 25
      asm volatile("and.b32 wd0_25, wd0_25, wb0_0;");
#endif
#if N * 24 > 26
      asm volatile("and.b32 wd0_26, wd0_26, wb0_0;");
#endif
#if N * 24 > 27
      asm volatile("and.b32 wd0_27, wd0_27, wb0_0;");
#endif
#if N * 24 > 28
      asm volatile("and.b32 wd0_28, wd0_28, wb0_0;");
#endif
#if N * 24 > 29
      asm volatile("and.b32 wd0_29, wd0_29, wb0_0;");
#endif
#if N * 24 > 30
      asm volatile("and.b32 wd0_30, wd0_30, wb0_0;");
#endif
#if N * 24 > 31
      asm volatile("and.b32 wd0_31, wd0_31, wb0_0;");
#endif
#if N * 24 > 32
      asm volatile("and.b32 wd0_32, wd0_32, wb0_0;");
#endif
#if N * 24 > 33
      asm volatile("and.b32 wd0_33, wd0_33, wb0_0;");
#endif
#if N * 24 > 34
      asm volatile("and.b32 wd0_34, wd0_34, wb0_0;");
#endif
#if N * 24 > 35
      asm volatile("and.b32 wd0_35, wd0_35, wb0_0;");
#endif
#if N * 24 > 36
      asm volatile("and.b32 wd0_36, wd0_36, wb0_0;");
#endif
#if N * 24 > 37
      asm volatile("and.b32 wd0_37, wd0_37, wb0_0;");
#endif
#if N * 24 > 38
      asm volatile("and.b32 wd0_38, wd0_38, wb0_0;");
#endif
#if N * 24 > 39
      asm volatile("and.b32 wd0_39, wd0_39, wb0_0;");
#endif
#if N * 24 > 40
      asm volatile("and.b32 wd0_40, wd0_40, wb0_0;");
#endif
#if N * 24 > 41
      asm volatile("and.b32 wd0_41, wd0_41, wb0_0;");
#endif
#if N * 24 > 42
      asm volatile("and.b32 wd0_42, wd0_42, wb0_0;");
#endif
#if N * 24 > 43
      asm volatile("and.b32 wd0_43, wd0_43, wb0_0;");
#endif
#if N * 24 > 44
      asm volatile("and.b32 wd0_44, wd0_44, wb0_0;");
#endif
#if N * 24 > 45
      asm volatile("and.b32 wd0_45, wd0_45, wb0_0;");
#endif
#if N * 24 > 46
      asm volatile("and.b32 wd0_46, wd0_46, wb0_0;");
#endif
#if N * 24 > 47
      asm volatile("and.b32 wd0_47, wd0_47, wb0_0;");
#endif
#if N * 24 > 48
      asm volatile("and.b32 wd0_48, wd0_48, wb0_0;");
#endif
#if N * 24 > 49
      asm volatile("and.b32 wd0_49, wd0_49, wb0_0;");
#endif
#if N * 24 > 50
      asm volatile("and.b32 wd0_50, wd0_50, wb0_0;");
#endif
#if N * 24 > 51
      asm volatile("and.b32 wd0_51, wd0_51, wb0_0;");
#endif
#if N * 24 > 52
      asm volatile("and.b32 wd0_52, wd0_52, wb0_0;");
#endif
#if N * 24 > 53
      asm volatile("and.b32 wd0_53, wd0_53, wb0_0;");
#endif
#if N * 24 > 54
      asm volatile("and.b32 wd0_54, wd0_54, wb0_0;");
#endif
#if N * 24 > 55
      asm volatile("and.b32 wd0_55, wd0_55, wb0_0;");
#endif
#if N * 24 > 56
      asm volatile("and.b32 wd0_56, wd0_56, wb0_0;");
#endif
#if N * 24 > 57
      asm volatile("and.b32 wd0_57, wd0_57, wb0_0;");
#endif
#if N * 24 > 58
      asm volatile("and.b32 wd0_58, wd0_58, wb0_0;");
#endif
#if N * 24 > 59
      asm volatile("and.b32 wd0_59, wd0_59, wb0_0;");
#endif
#if N * 24 > 60
      asm volatile("and.b32 wd0_60, wd0_60, wb0_0;");
#endif
#if N * 24 > 61
      asm volatile("and.b32 wd0_61, wd0_61, wb0_0;");
#endif
#if N * 24 > 62
      asm volatile("and.b32 wd0_62, wd0_62, wb0_0;");
#endif
#if N * 24 > 63
      asm volatile("and.b32 wd0_63, wd0_63, wb0_0;");
#endif
#if N * 24 > 64
      asm volatile("and.b32 wd0_64, wd0_64, wb0_0;");
#endif
#if N * 24 > 65
      asm volatile("and.b32 wd0_65, wd0_65, wb0_0;");
#endif
#if N * 24 > 66
      asm volatile("and.b32 wd0_66, wd0_66, wb0_0;");
#endif
#if N * 24 > 67
      asm volatile("and.b32 wd0_67, wd0_67, wb0_0;");
#endif
#if N * 24 > 68
      asm volatile("and.b32 wd0_68, wd0_68, wb0_0;");
#endif
#if N * 24 > 69
      asm volatile("and.b32 wd0_69, wd0_69, wb0_0;");
#endif
#if N * 24 > 70
      asm volatile("and.b32 wd0_70, wd0_70, wb0_0;");
#endif
#if N * 24 > 71
      asm volatile("and.b32 wd0_71, wd0_71, wb0_0;");
#endif
    }
#if N * 24 > 0 && N * 24 <= 8
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 1 && N * 24 <= 9
    { u32 v; asm volatile("mov.b32 %0, wd0_1;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 2 && N * 24 <= 10
    { u32 v; asm volatile("mov.b32 %0, wd0_2;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 3 && N * 24 <= 11
    { u32 v; asm volatile("mov.b32 %0, wd0_3;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 4 && N * 24 <= 12
    { u32 v; asm volatile("mov.b32 %0, wd0_4;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 5 && N * 24 <= 13
    { u32 v; asm volatile("mov.b32 %0, wd0_5;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 6 && N * 24 <= 14
    { u32 v; asm volatile("mov.b32 %0, wd0_6;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 7 && N * 24 <= 15
    { u32 v; asm volatile("mov.b32 %0, wd0_7;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 8 && N * 24 <= 16
    { u32 v; asm volatile("mov.b32 %0, wd0_8;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 9 && N * 24 <= 17
    { u32 v; asm volatile("mov.b32 %0, wd0_9;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 10 && N * 24 <= 18
    { u32 v; asm volatile("mov.b32 %0, wd0_10;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 11 && N * 24 <= 19
    { u32 v; asm volatile("mov.b32 %0, wd0_11;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 12 && N * 24 <= 20
    { u32 v; asm volatile("mov.b32 %0, wd0_12;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 13 && N * 24 <= 21
    { u32 v; asm volatile("mov.b32 %0, wd0_13;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 14 && N * 24 <= 22
    { u32 v; asm volatile("mov.b32 %0, wd0_14;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 15 && N * 24 <= 23
    { u32 v; asm volatile("mov.b32 %0, wd0_15;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 16 && N * 24 <= 24
    { u32 v; asm volatile("mov.b32 %0, wd0_16;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 17 && N * 24 <= 25
    { u32 v; asm volatile("mov.b32 %0, wd0_17;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 18 && N * 24 <= 26
    { u32 v; asm volatile("mov.b32 %0, wd0_18;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 19 && N * 24 <= 27
    { u32 v; asm volatile("mov.b32 %0, wd0_19;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 20 && N * 24 <= 28
    { u32 v; asm volatile("mov.b32 %0, wd0_20;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 21 && N * 24 <= 29
    { u32 v; asm volatile("mov.b32 %0, wd0_21;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 22 && N * 24 <= 30
    { u32 v; asm volatile("mov.b32 %0, wd0_22;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 23 && N * 24 <= 31
    { u32 v; asm volatile("mov.b32 %0, wd0_23;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 24 && N * 24 <= 32
    { u32 v; asm volatile("mov.b32 %0, wd0_24;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 25 && N * 24 <= 33
    { u32 v; asm volatile("mov.b32 %0, wd0_25;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 26 && N * 24 <= 34
    { u32 v; asm volatile("mov.b32 %0, wd0_26;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 27 && N * 24 <= 35
    { u32 v; asm volatile("mov.b32 %0, wd0_27;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 28 && N * 24 <= 36
    { u32 v; asm volatile("mov.b32 %0, wd0_28;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 29 && N * 24 <= 37
    { u32 v; asm volatile("mov.b32 %0, wd0_29;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 30 && N * 24 <= 38
    { u32 v; asm volatile("mov.b32 %0, wd0_30;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 31 && N * 24 <= 39
    { u32 v; asm volatile("mov.b32 %0, wd0_31;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 32 && N * 24 <= 40
    { u32 v; asm volatile("mov.b32 %0, wd0_32;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 33 && N * 24 <= 41
    { u32 v; asm volatile("mov.b32 %0, wd0_33;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 34 && N * 24 <= 42
    { u32 v; asm volatile("mov.b32 %0, wd0_34;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 35 && N * 24 <= 43
    { u32 v; asm volatile("mov.b32 %0, wd0_35;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 36 && N * 24 <= 44
    { u32 v; asm volatile("mov.b32 %0, wd0_36;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 37 && N * 24 <= 45
    { u32 v; asm volatile("mov.b32 %0, wd0_37;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 38 && N * 24 <= 46
    { u32 v; asm volatile("mov.b32 %0, wd0_38;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 39 && N * 24 <= 47
    { u32 v; asm volatile("mov.b32 %0, wd0_39;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 40 && N * 24 <= 48
    { u32 v; asm volatile("mov.b32 %0, wd0_40;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 41 && N * 24 <= 49
    { u32 v; asm volatile("mov.b32 %0, wd0_41;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 42 && N * 24 <= 50
    { u32 v; asm volatile("mov.b32 %0, wd0_42;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 43 && N * 24 <= 51
    { u32 v; asm volatile("mov.b32 %0, wd0_43;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 44 && N * 24 <= 52
    { u32 v; asm volatile("mov.b32 %0, wd0_44;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 45 && N * 24 <= 53
    { u32 v; asm volatile("mov.b32 %0, wd0_45;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 46 && N * 24 <= 54
    { u32 v; asm volatile("mov.b32 %0, wd0_46;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 47 && N * 24 <= 55
    { u32 v; asm volatile("mov.b32 %0, wd0_47;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 48 && N * 24 <= 56
    { u32 v; asm volatile("mov.b32 %0, wd0_48;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 49 && N * 24 <= 57
    { u32 v; asm volatile("mov.b32 %0, wd0_49;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 50 && N * 24 <= 58
    { u32 v; asm volatile("mov.b32 %0, wd0_50;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 51 && N * 24 <= 59
    { u32 v; asm volatile("mov.b32 %0, wd0_51;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 52 && N * 24 <= 60
    { u32 v; asm volatile("mov.b32 %0, wd0_52;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 53 && N * 24 <= 61
    { u32 v; asm volatile("mov.b32 %0, wd0_53;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 54 && N * 24 <= 62
    { u32 v; asm volatile("mov.b32 %0, wd0_54;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 55 && N * 24 <= 63
    { u32 v; asm volatile("mov.b32 %0, wd0_55;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 56 && N * 24 <= 64
    { u32 v; asm volatile("mov.b32 %0, wd0_56;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 57 && N * 24 <= 65
    { u32 v; asm volatile("mov.b32 %0, wd0_57;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 58 && N * 24 <= 66
    { u32 v; asm volatile("mov.b32 %0, wd0_58;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 59 && N * 24 <= 67
    { u32 v; asm volatile("mov.b32 %0, wd0_59;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 60 && N * 24 <= 68
    { u32 v; asm volatile("mov.b32 %0, wd0_60;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 61 && N * 24 <= 69
    { u32 v; asm volatile("mov.b32 %0, wd0_61;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 62 && N * 24 <= 70
    { u32 v; asm volatile("mov.b32 %0, wd0_62;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 63 && N * 24 <= 71
    { u32 v; asm volatile("mov.b32 %0, wd0_63;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 64 && N * 24 <= 72
    { u32 v; asm volatile("mov.b32 %0, wd0_64;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 65 && N * 24 <= 73
    { u32 v; asm volatile("mov.b32 %0, wd0_65;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 66 && N * 24 <= 74
    { u32 v; asm volatile("mov.b32 %0, wd0_66;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 67 && N * 24 <= 75
    { u32 v; asm volatile("mov.b32 %0, wd0_67;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 68 && N * 24 <= 76
    { u32 v; asm volatile("mov.b32 %0, wd0_68;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 69 && N * 24 <= 77
    { u32 v; asm volatile("mov.b32 %0, wd0_69;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 70 && N * 24 <= 78
    { u32 v; asm volatile("mov.b32 %0, wd0_70;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 71 && N * 24 <= 79
    { u32 v; asm volatile("mov.b32 %0, wd0_71;" : "=r"(v)); hold(held, v); }
#endif
    window.wait(held);
    window.close();
    hold(held, static_cast<u32>(window.closed));
#if N * 24 > 8
    { u32 v; asm volatile("mov.b32 %0, wd0_0;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 9
    { u32 v; asm volatile("mov.b32 %0, wd0_1;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 10
    { u32 v; asm volatile("mov.b32 %0, wd0_2;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 11
    { u32 v; asm volatile("mov.b32 %0, wd0_3;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 12
    { u32 v; asm volatile("mov.b32 %0, wd0_4;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 13
    { u32 v; asm volatile("mov.b32 %0, wd0_5;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 14
    { u32 v; asm volatile("mov.b32 %0, wd0_6;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 15
    { u32 v; asm volatile("mov.b32 %0, wd0_7;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 16
    { u32 v; asm volatile("mov.b32 %0, wd0_8;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 17
    { u32 v; asm volatile("mov.b32 %0, wd0_9;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 18
    { u32 v; asm volatile("mov.b32 %0, wd0_10;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 19
    { u32 v; asm volatile("mov.b32 %0, wd0_11;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 20
    { u32 v; asm volatile("mov.b32 %0, wd0_12;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 21
    { u32 v; asm volatile("mov.b32 %0, wd0_13;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 22
    { u32 v; asm volatile("mov.b32 %0, wd0_14;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 23
    { u32 v; asm volatile("mov.b32 %0, wd0_15;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 24
    { u32 v; asm volatile("mov.b32 %0, wd0_16;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 25
    { u32 v; asm volatile("mov.b32 %0, wd0_17;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 26
    { u32 v; asm volatile("mov.b32 %0, wd0_18;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 27
    { u32 v; asm volatile("mov.b32 %0, wd0_19;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 28
    { u32 v; asm volatile("mov.b32 %0, wd0_20;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 29
    { u32 v; asm volatile("mov.b32 %0, wd0_21;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 30
    { u32 v; asm volatile("mov.b32 %0, wd0_22;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 31
    { u32 v; asm volatile("mov.b32 %0, wd0_23;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 32
    { u32 v; asm volatile("mov.b32 %0, wd0_24;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 33
    { u32 v; asm volatile("mov.b32 %0, wd0_25;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 34
    { u32 v; asm volatile("mov.b32 %0, wd0_26;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 35
    { u32 v; asm volatile("mov.b32 %0, wd0_27;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 36
    { u32 v; asm volatile("mov.b32 %0, wd0_28;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 37
    { u32 v; asm volatile("mov.b32 %0, wd0_29;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 38
    { u32 v; asm volatile("mov.b32 %0, wd0_30;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 39
    { u32 v; asm volatile("mov.b32 %0, wd0_31;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 40
    { u32 v; asm volatile("mov.b32 %0, wd0_32;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 41
    { u32 v; asm volatile("mov.b32 %0, wd0_33;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 42
    { u32 v; asm volatile("mov.b32 %0, wd0_34;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 43
    { u32 v; asm volatile("mov.b32 %0, wd0_35;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 44
    { u32 v; asm volatile("mov.b32 %0, wd0_36;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 45
    { u32 v; asm volatile("mov.b32 %0, wd0_37;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 46
    { u32 v; asm volatile("mov.b32 %0, wd0_38;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 47
    { u32 v; asm volatile("mov.b32 %0, wd0_39;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 48
    { u32 v; asm volatile("mov.b32 %0, wd0_40;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 49
    { u32 v; asm volatile("mov.b32 %0, wd0_41;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 50
    { u32 v; asm volatile("mov.b32 %0, wd0_42;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 51
    { u32 v; asm volatile("mov.b32 %0, wd0_43;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 52
    { u32 v; asm volatile("mov.b32 %0, wd0_44;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 53
    { u32 v; asm volatile("mov.b32 %0, wd0_45;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 54
    { u32 v; asm volatile("mov.b32 %0, wd0_46;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 55
    { u32 v; asm volatile("mov.b32 %0, wd0_47;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 56
    { u32 v; asm volatile("mov.b32 %0, wd0_48;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 57
    { u32 v; asm volatile("mov.b32 %0, wd0_49;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 58
    { u32 v; asm volatile("mov.b32 %0, wd0_50;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 59
    { u32 v; asm volatile("mov.b32 %0, wd0_51;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 60
    { u32 v; asm volatile("mov.b32 %0, wd0_52;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 61
    { u32 v; asm volatile("mov.b32 %0, wd0_53;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 62
    { u32 v; asm volatile("mov.b32 %0, wd0_54;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 63
    { u32 v; asm volatile("mov.b32 %0, wd0_55;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 64
    { u32 v; asm volatile("mov.b32 %0, wd0_56;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 65
    { u32 v; asm volatile("mov.b32 %0, wd0_57;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 66
    { u32 v; asm volatile("mov.b32 %0, wd0_58;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 67
    { u32 v; asm volatile("mov.b32 %0, wd0_59;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 68
    { u32 v; asm volatile("mov.b32 %0, wd0_60;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 69
    { u32 v; asm volatile("mov.b32 %0, wd0_61;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 70
    { u32 v; asm volatile("mov.b32 %0, wd0_62;" : "=r"(v)); hold(held, v); }
#endif
#if N * 24 > 71
    { u32 v; asm volatile("mov.b32 %0, wd0_63;" : "=r"(v)); hold(held, v); }
#endif
    window.wait(held);
  }
  window.report(args);
}
