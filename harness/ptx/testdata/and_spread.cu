#include "probe.cuh"
PROBE {
  asm volatile(
    ".reg .b32 w_tid, w_ntid, w_zero, w_passes, w_pass, w_known, w_guard, w_v0, w_v1, w_v2, w_v3;\n"
    ".reg .b64 w_clocks, w_data, w_sink, w_opened, w_closed, w_place;\n"
    ".reg .pred w_more;\n"
    "mov.b64 w_clocks, %0;\n"
    "mov.b64 w_data, %1;\n"
    "mov.b64 w_sink, %2;\n"
    "mov.b32 w_passes, %3;\n"
    "mov.b32 w_zero, %4;\n"
    "mov.u32 w_tid, %%tid.x;\n"
    "mov.u32 w_ntid, %%ntid.x;\n"
    "mad.lo.u32 w_v0, w_ntid, 0, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "and.b32 w_zero, w_zero, w_v0;\n"
    "add.u32 w_passes, w_passes, w_zero;\n"
    "mov.b32 w_guard, w_tid;\n"
    ".reg .b32 wd0_0, wd0_1, wd0_2, wd0_3, wd0_4, wd0_5, wd0_6, wd0_7, wd0_8, wd0_9, wd0_10, wd0_11, wd0_12, wd0_13, wd0_14, wd0_15, wd0_16, wd0_17, wd0_18, wd0_19, wd0_20, wd0_21, wd0_22, wd0_23, wd0_24, wd0_25, wd0_26, wd0_27, wd0_28, wd0_29, wd0_30, wd0_31, wd0_32, wd0_33, wd0_34, wd0_35, wd0_36, wd0_37, wd0_38, wd0_39, wd0_40, wd0_41, wd0_42, wd0_43, wd0_44, wd0_45, wd0_46, wd0_47, wd0_48, wd0_49, wd0_50, wd0_51, wd0_52, wd0_53, wd0_54, wd0_55, wd0_56, wd0_57, wd0_58, wd0_59, wd0_60, wd0_61, wd0_62, wd0_63, wd0_64, wd0_65, wd0_66, wd0_67, wd0_68, wd0_69, wd0_70, wd0_71;\n"
    ".reg .b32 wa0_0, wa0_1, wa0_2, wa0_3, wa0_4, wa0_5, wa0_6, wa0_7, wa0_8, wa0_9, wa0_10, wa0_11, wa0_12, wa0_13, wa0_14, wa0_15, wa0_16, wa0_17, wa0_18, wa0_19, wa0_20, wa0_21, wa0_22, wa0_23, wa0_24, wa0_25, wa0_26, wa0_27, wa0_28, wa0_29, wa0_30, wa0_31, wa0_32, wa0_33, wa0_34, wa0_35, wa0_36, wa0_37, wa0_38, wa0_39, wa0_40, wa0_41, wa0_42, wa0_43, wa0_44, wa0_45, wa0_46, wa0_47, wa0_48, wa0_49, wa0_50, wa0_51, wa0_52, wa0_53, wa0_54, wa0_55, wa0_56, wa0_57, wa0_58, wa0_59, wa0_60, wa0_61, wa0_62, wa0_63, wa0_64, wa0_65, wa0_66, wa0_67, wa0_68, wa0_69, wa0_70, wa0_71;\n"
    ".reg .b32 wb0_0;\n"
    "mad.lo.u32 w_v0, w_ntid, 1, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_0, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 2, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_1, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 3, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_2, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 4, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_3, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 5, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_4, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 6, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_5, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 7, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_6, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 8, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_7, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 9, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_8, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 10, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_9, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 11, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_10, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 12, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_11, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 13, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_12, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 14, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_13, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 15, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_14, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 16, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_15, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 17, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_16, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 18, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_17, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 19, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_18, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 20, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_19, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 21, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_20, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 22, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_21, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 23, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_22, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 24, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_23, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 25, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_24, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 26, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_25, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 27, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_26, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 28, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_27, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 29, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_28, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 30, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_29, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 31, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_30, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 32, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_31, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 33, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_32, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 34, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_33, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 35, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_34, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 36, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_35, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 37, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_36, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 38, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_37, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 39, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_38, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 40, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_39, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 41, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_40, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 42, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_41, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 43, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_42, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 44, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_43, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 45, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_44, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 46, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_45, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 47, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_46, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 48, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_47, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 49, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_48, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 50, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_49, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 51, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_50, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 52, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_51, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 53, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_52, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 54, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_53, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 55, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_54, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 56, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_55, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 57, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_56, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 58, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_57, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 59, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_58, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 60, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_59, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 61, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_60, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 62, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_61, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 63, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_62, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 64, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_63, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 65, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_64, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 66, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_65, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 67, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_66, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 68, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_67, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 69, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_68, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 70, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_69, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 71, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_70, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 72, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wd0_71, w_v0;\n"
    "mad.lo.u32 w_v0, w_ntid, 73, w_tid;\n"
    "mad.wide.u32 w_place, w_v0, 4, w_data;\n"
    "ld.volatile.global.b32 w_v0, [w_place];\n"
    "mov.b32 wb0_0, w_v0;\n"
    ".reg .b32 w_held;\n"
    "add.u32 w_known, w_zero, w_passes;\n"
    "mov.b32 w_pass, 0;\n"
    "w_next:\n"
    ".pragma \"nounroll\";\n"
    "add.u32 w_guard, w_guard, w_known;\n"
    "add.u32 w_guard, w_guard, wd0_0;\n"
    "add.u32 w_guard, w_guard, wd0_1;\n"
    "add.u32 w_guard, w_guard, wd0_2;\n"
    "add.u32 w_guard, w_guard, wd0_3;\n"
    "add.u32 w_guard, w_guard, wd0_4;\n"
    "add.u32 w_guard, w_guard, wd0_5;\n"
    "add.u32 w_guard, w_guard, wd0_6;\n"
    "add.u32 w_guard, w_guard, wd0_7;\n"
    "add.u32 w_guard, w_guard, wd0_8;\n"
    "add.u32 w_guard, w_guard, wd0_9;\n"
    "add.u32 w_guard, w_guard, wd0_10;\n"
    "add.u32 w_guard, w_guard, wd0_11;\n"
    "add.u32 w_guard, w_guard, wd0_12;\n"
    "add.u32 w_guard, w_guard, wd0_13;\n"
    "add.u32 w_guard, w_guard, wd0_14;\n"
    "add.u32 w_guard, w_guard, wd0_15;\n"
    "add.u32 w_guard, w_guard, wd0_16;\n"
    "add.u32 w_guard, w_guard, wd0_17;\n"
    "add.u32 w_guard, w_guard, wd0_18;\n"
    "add.u32 w_guard, w_guard, wd0_19;\n"
    "add.u32 w_guard, w_guard, wd0_20;\n"
    "add.u32 w_guard, w_guard, wd0_21;\n"
    "add.u32 w_guard, w_guard, wd0_22;\n"
    "add.u32 w_guard, w_guard, wd0_23;\n"
    "add.u32 w_guard, w_guard, wd0_24;\n"
    "add.u32 w_guard, w_guard, wd0_25;\n"
    "add.u32 w_guard, w_guard, wd0_26;\n"
    "add.u32 w_guard, w_guard, wd0_27;\n"
    "add.u32 w_guard, w_guard, wd0_28;\n"
    "add.u32 w_guard, w_guard, wd0_29;\n"
    "add.u32 w_guard, w_guard, wd0_30;\n"
    "add.u32 w_guard, w_guard, wd0_31;\n"
    "add.u32 w_guard, w_guard, wd0_32;\n"
    "add.u32 w_guard, w_guard, wd0_33;\n"
    "add.u32 w_guard, w_guard, wd0_34;\n"
    "add.u32 w_guard, w_guard, wd0_35;\n"
    "add.u32 w_guard, w_guard, wd0_36;\n"
    "add.u32 w_guard, w_guard, wd0_37;\n"
    "add.u32 w_guard, w_guard, wd0_38;\n"
    "add.u32 w_guard, w_guard, wd0_39;\n"
    "add.u32 w_guard, w_guard, wd0_40;\n"
    "add.u32 w_guard, w_guard, wd0_41;\n"
    "add.u32 w_guard, w_guard, wd0_42;\n"
    "add.u32 w_guard, w_guard, wd0_43;\n"
    "add.u32 w_guard, w_guard, wd0_44;\n"
    "add.u32 w_guard, w_guard, wd0_45;\n"
    "add.u32 w_guard, w_guard, wd0_46;\n"
    "add.u32 w_guard, w_guard, wd0_47;\n"
    "add.u32 w_guard, w_guard, wd0_48;\n"
    "add.u32 w_guard, w_guard, wd0_49;\n"
    "add.u32 w_guard, w_guard, wd0_50;\n"
    "add.u32 w_guard, w_guard, wd0_51;\n"
    "add.u32 w_guard, w_guard, wd0_52;\n"
    "add.u32 w_guard, w_guard, wd0_53;\n"
    "add.u32 w_guard, w_guard, wd0_54;\n"
    "add.u32 w_guard, w_guard, wd0_55;\n"
    "add.u32 w_guard, w_guard, wd0_56;\n"
    "add.u32 w_guard, w_guard, wd0_57;\n"
    "add.u32 w_guard, w_guard, wd0_58;\n"
    "add.u32 w_guard, w_guard, wd0_59;\n"
    "add.u32 w_guard, w_guard, wd0_60;\n"
    "add.u32 w_guard, w_guard, wd0_61;\n"
    "add.u32 w_guard, w_guard, wd0_62;\n"
    "add.u32 w_guard, w_guard, wd0_63;\n"
    "add.u32 w_guard, w_guard, wd0_64;\n"
    "add.u32 w_guard, w_guard, wd0_65;\n"
    "add.u32 w_guard, w_guard, wd0_66;\n"
    "add.u32 w_guard, w_guard, wd0_67;\n"
    "add.u32 w_guard, w_guard, wd0_68;\n"
    "add.u32 w_guard, w_guard, wd0_69;\n"
    "add.u32 w_guard, w_guard, wd0_70;\n"
    "add.u32 w_guard, w_guard, wd0_71;\n"
    "add.u32 w_guard, w_guard, wb0_0;\n"
    "mov.b32 w_held, w_zero;\n"
    "add.u32 w_guard, w_guard, w_held;\n"
    "bar.sync 0;\n"
    "mov.u64 w_opened, %%clock64;\n"
    ".reg .b32 w_trip;\n"
    ".reg .pred w_again;\n"
    "mov.b32 w_trip, w_zero;\n"
    "w_loop:\n"
    ".pragma \"nounroll\";\n"
#if N * 24 > 0
    "and.b32 wd0_0, wd0_0, wb0_0;\n"
#endif
#if N * 24 > 1
    "and.b32 wd0_1, wd0_1, wb0_0;\n"
#endif
#if N * 24 > 2
    "and.b32 wd0_2, wd0_2, wb0_0;\n"
#endif
#if N * 24 > 3
    "and.b32 wd0_3, wd0_3, wb0_0;\n"
#endif
#if N * 24 > 4
    "and.b32 wd0_4, wd0_4, wb0_0;\n"
#endif
#if N * 24 > 5
    "and.b32 wd0_5, wd0_5, wb0_0;\n"
#endif
#if N * 24 > 6
    "and.b32 wd0_6, wd0_6, wb0_0;\n"
#endif
#if N * 24 > 7
    "and.b32 wd0_7, wd0_7, wb0_0;\n"
#endif
#if N * 24 > 8
    "and.b32 wd0_8, wd0_8, wb0_0;\n"
#endif
#if N * 24 > 9
    "and.b32 wd0_9, wd0_9, wb0_0;\n"
#endif
#if N * 24 > 10
    "and.b32 wd0_10, wd0_10, wb0_0;\n"
#endif
#if N * 24 > 11
    "and.b32 wd0_11, wd0_11, wb0_0;\n"
#endif
#if N * 24 > 12
    "and.b32 wd0_12, wd0_12, wb0_0;\n"
#endif
#if N * 24 > 13
    "and.b32 wd0_13, wd0_13, wb0_0;\n"
#endif
#if N * 24 > 14
    "and.b32 wd0_14, wd0_14, wb0_0;\n"
#endif
#if N * 24 > 15
    "and.b32 wd0_15, wd0_15, wb0_0;\n"
#endif
#if N * 24 > 16
    "and.b32 wd0_16, wd0_16, wb0_0;\n"
#endif
#if N * 24 > 17
    "and.b32 wd0_17, wd0_17, wb0_0;\n"
#endif
#if N * 24 > 18
    "and.b32 wd0_18, wd0_18, wb0_0;\n"
#endif
#if N * 24 > 19
    "and.b32 wd0_19, wd0_19, wb0_0;\n"
#endif
#if N * 24 > 20
    "and.b32 wd0_20, wd0_20, wb0_0;\n"
#endif
#if N * 24 > 21
    "and.b32 wd0_21, wd0_21, wb0_0;\n"
#endif
#if N * 24 > 22
    "and.b32 wd0_22, wd0_22, wb0_0;\n"
#endif
#if N * 24 > 23
    "and.b32 wd0_23, wd0_23, wb0_0;\n"
#endif
#if N * 24 > 24
    "and.b32 wd0_24, wd0_24, wb0_0;\n"
#endif
#if N * 24 > 25
    "and.b32 wd0_25, wd0_25, wb0_0;\n"
#endif
#if N * 24 > 26
    "and.b32 wd0_26, wd0_26, wb0_0;\n"
#endif
#if N * 24 > 27
    "and.b32 wd0_27, wd0_27, wb0_0;\n"
#endif
#if N * 24 > 28
    "and.b32 wd0_28, wd0_28, wb0_0;\n"
#endif
#if N * 24 > 29
    "and.b32 wd0_29, wd0_29, wb0_0;\n"
#endif
#if N * 24 > 30
    "and.b32 wd0_30, wd0_30, wb0_0;\n"
#endif
#if N * 24 > 31
    "and.b32 wd0_31, wd0_31, wb0_0;\n"
#endif
#if N * 24 > 32
    "and.b32 wd0_32, wd0_32, wb0_0;\n"
#endif
#if N * 24 > 33
    "and.b32 wd0_33, wd0_33, wb0_0;\n"
#endif
#if N * 24 > 34
    "and.b32 wd0_34, wd0_34, wb0_0;\n"
#endif
#if N * 24 > 35
    "and.b32 wd0_35, wd0_35, wb0_0;\n"
#endif
#if N * 24 > 36
    "and.b32 wd0_36, wd0_36, wb0_0;\n"
#endif
#if N * 24 > 37
    "and.b32 wd0_37, wd0_37, wb0_0;\n"
#endif
#if N * 24 > 38
    "and.b32 wd0_38, wd0_38, wb0_0;\n"
#endif
#if N * 24 > 39
    "and.b32 wd0_39, wd0_39, wb0_0;\n"
#endif
#if N * 24 > 40
    "and.b32 wd0_40, wd0_40, wb0_0;\n"
#endif
#if N * 24 > 41
    "and.b32 wd0_41, wd0_41, wb0_0;\n"
#endif
#if N * 24 > 42
    "and.b32 wd0_42, wd0_42, wb0_0;\n"
#endif
#if N * 24 > 43
    "and.b32 wd0_43, wd0_43, wb0_0;\n"
#endif
#if N * 24 > 44
    "and.b32 wd0_44, wd0_44, wb0_0;\n"
#endif
#if N * 24 > 45
    "and.b32 wd0_45, wd0_45, wb0_0;\n"
#endif
#if N * 24 > 46
    "and.b32 wd0_46, wd0_46, wb0_0;\n"
#endif
#if N * 24 > 47
    "and.b32 wd0_47, wd0_47, wb0_0;\n"
#endif
#if N * 24 > 48
    "and.b32 wd0_48, wd0_48, wb0_0;\n"
#endif
#if N * 24 > 49
    "and.b32 wd0_49, wd0_49, wb0_0;\n"
#endif
#if N * 24 > 50
    "and.b32 wd0_50, wd0_50, wb0_0;\n"
#endif
#if N * 24 > 51
    "and.b32 wd0_51, wd0_51, wb0_0;\n"
#endif
#if N * 24 > 52
    "and.b32 wd0_52, wd0_52, wb0_0;\n"
#endif
#if N * 24 > 53
    "and.b32 wd0_53, wd0_53, wb0_0;\n"
#endif
#if N * 24 > 54
    "and.b32 wd0_54, wd0_54, wb0_0;\n"
#endif
#if N * 24 > 55
    "and.b32 wd0_55, wd0_55, wb0_0;\n"
#endif
#if N * 24 > 56
    "and.b32 wd0_56, wd0_56, wb0_0;\n"
#endif
#if N * 24 > 57
    "and.b32 wd0_57, wd0_57, wb0_0;\n"
#endif
#if N * 24 > 58
    "and.b32 wd0_58, wd0_58, wb0_0;\n"
#endif
#if N * 24 > 59
    "and.b32 wd0_59, wd0_59, wb0_0;\n"
#endif
#if N * 24 > 60
    "and.b32 wd0_60, wd0_60, wb0_0;\n"
#endif
#if N * 24 > 61
    "and.b32 wd0_61, wd0_61, wb0_0;\n"
#endif
#if N * 24 > 62
    "and.b32 wd0_62, wd0_62, wb0_0;\n"
#endif
#if N * 24 > 63
    "and.b32 wd0_63, wd0_63, wb0_0;\n"
#endif
#if N * 24 > 64
    "and.b32 wd0_64, wd0_64, wb0_0;\n"
#endif
#if N * 24 > 65
    "and.b32 wd0_65, wd0_65, wb0_0;\n"
#endif
#if N * 24 > 66
    "and.b32 wd0_66, wd0_66, wb0_0;\n"
#endif
#if N * 24 > 67
    "and.b32 wd0_67, wd0_67, wb0_0;\n"
#endif
#if N * 24 > 68
    "and.b32 wd0_68, wd0_68, wb0_0;\n"
#endif
#if N * 24 > 69
    "and.b32 wd0_69, wd0_69, wb0_0;\n"
#endif
#if N * 24 > 70
    "and.b32 wd0_70, wd0_70, wb0_0;\n"
#endif
#if N * 24 > 71
    "and.b32 wd0_71, wd0_71, wb0_0;\n"
#endif
    "add.u32 w_trip, w_trip, 1;\n"
    "setp.ne.u32 w_again, w_trip, 8;\n"
    "@w_again bra.uni w_loop;\n"
#if N * 24 > 0 && N * 24 <= 8
    "add.rn.f32 w_held, w_held, wd0_0;\n"
#endif
#if N * 24 > 1 && N * 24 <= 9
    "add.rn.f32 w_held, w_held, wd0_1;\n"
#endif
#if N * 24 > 2 && N * 24 <= 10
    "add.rn.f32 w_held, w_held, wd0_2;\n"
#endif
#if N * 24 > 3 && N * 24 <= 11
    "add.rn.f32 w_held, w_held, wd0_3;\n"
#endif
#if N * 24 > 4 && N * 24 <= 12
    "add.rn.f32 w_held, w_held, wd0_4;\n"
#endif
#if N * 24 > 5 && N * 24 <= 13
    "add.rn.f32 w_held, w_held, wd0_5;\n"
#endif
#if N * 24 > 6 && N * 24 <= 14
    "add.rn.f32 w_held, w_held, wd0_6;\n"
#endif
#if N * 24 > 7 && N * 24 <= 15
    "add.rn.f32 w_held, w_held, wd0_7;\n"
#endif
#if N * 24 > 8 && N * 24 <= 16
    "add.rn.f32 w_held, w_held, wd0_8;\n"
#endif
#if N * 24 > 9 && N * 24 <= 17
    "add.rn.f32 w_held, w_held, wd0_9;\n"
#endif
#if N * 24 > 10 && N * 24 <= 18
    "add.rn.f32 w_held, w_held, wd0_10;\n"
#endif
#if N * 24 > 11 && N * 24 <= 19
    "add.rn.f32 w_held, w_held, wd0_11;\n"
#endif
#if N * 24 > 12 && N * 24 <= 20
    "add.rn.f32 w_held, w_held, wd0_12;\n"
#endif
#if N * 24 > 13 && N * 24 <= 21
    "add.rn.f32 w_held, w_held, wd0_13;\n"
#endif
#if N * 24 > 14 && N * 24 <= 22
    "add.rn.f32 w_held, w_held, wd0_14;\n"
#endif
#if N * 24 > 15 && N * 24 <= 23
    "add.rn.f32 w_held, w_held, wd0_15;\n"
#endif
#if N * 24 > 16 && N * 24 <= 24
    "add.rn.f32 w_held, w_held, wd0_16;\n"
#endif
#if N * 24 > 17 && N * 24 <= 25
    "add.rn.f32 w_held, w_held, wd0_17;\n"
#endif
#if N * 24 > 18 && N * 24 <= 26
    "add.rn.f32 w_held, w_held, wd0_18;\n"
#endif
#if N * 24 > 19 && N * 24 <= 27
    "add.rn.f32 w_held, w_held, wd0_19;\n"
#endif
#if N * 24 > 20 && N * 24 <= 28
    "add.rn.f32 w_held, w_held, wd0_20;\n"
#endif
#if N * 24 > 21 && N * 24 <= 29
    "add.rn.f32 w_held, w_held, wd0_21;\n"
#endif
#if N * 24 > 22 && N * 24 <= 30
    "add.rn.f32 w_held, w_held, wd0_22;\n"
#endif
#if N * 24 > 23 && N * 24 <= 31
    "add.rn.f32 w_held, w_held, wd0_23;\n"
#endif
#if N * 24 > 24 && N * 24 <= 32
    "add.rn.f32 w_held, w_held, wd0_24;\n"
#endif
#if N * 24 > 25 && N * 24 <= 33
    "add.rn.f32 w_held, w_held, wd0_25;\n"
#endif
#if N * 24 > 26 && N * 24 <= 34
    "add.rn.f32 w_held, w_held, wd0_26;\n"
#endif
#if N * 24 > 27 && N * 24 <= 35
    "add.rn.f32 w_held, w_held, wd0_27;\n"
#endif
#if N * 24 > 28 && N * 24 <= 36
    "add.rn.f32 w_held, w_held, wd0_28;\n"
#endif
#if N * 24 > 29 && N * 24 <= 37
    "add.rn.f32 w_held, w_held, wd0_29;\n"
#endif
#if N * 24 > 30 && N * 24 <= 38
    "add.rn.f32 w_held, w_held, wd0_30;\n"
#endif
#if N * 24 > 31 && N * 24 <= 39
    "add.rn.f32 w_held, w_held, wd0_31;\n"
#endif
#if N * 24 > 32 && N * 24 <= 40
    "add.rn.f32 w_held, w_held, wd0_32;\n"
#endif
#if N * 24 > 33 && N * 24 <= 41
    "add.rn.f32 w_held, w_held, wd0_33;\n"
#endif
#if N * 24 > 34 && N * 24 <= 42
    "add.rn.f32 w_held, w_held, wd0_34;\n"
#endif
#if N * 24 > 35 && N * 24 <= 43
    "add.rn.f32 w_held, w_held, wd0_35;\n"
#endif
#if N * 24 > 36 && N * 24 <= 44
    "add.rn.f32 w_held, w_held, wd0_36;\n"
#endif
#if N * 24 > 37 && N * 24 <= 45
    "add.rn.f32 w_held, w_held, wd0_37;\n"
#endif
#if N * 24 > 38 && N * 24 <= 46
    "add.rn.f32 w_held, w_held, wd0_38;\n"
#endif
#if N * 24 > 39 && N * 24 <= 47
    "add.rn.f32 w_held, w_held, wd0_39;\n"
#endif
#if N * 24 > 40 && N * 24 <= 48
    "add.rn.f32 w_held, w_held, wd0_40;\n"
#endif
#if N * 24 > 41 && N * 24 <= 49
    "add.rn.f32 w_held, w_held, wd0_41;\n"
#endif
#if N * 24 > 42 && N * 24 <= 50
    "add.rn.f32 w_held, w_held, wd0_42;\n"
#endif
#if N * 24 > 43 && N * 24 <= 51
    "add.rn.f32 w_held, w_held, wd0_43;\n"
#endif
#if N * 24 > 44 && N * 24 <= 52
    "add.rn.f32 w_held, w_held, wd0_44;\n"
#endif
#if N * 24 > 45 && N * 24 <= 53
    "add.rn.f32 w_held, w_held, wd0_45;\n"
#endif
#if N * 24 > 46 && N * 24 <= 54
    "add.rn.f32 w_held, w_held, wd0_46;\n"
#endif
#if N * 24 > 47 && N * 24 <= 55
    "add.rn.f32 w_held, w_held, wd0_47;\n"
#endif
#if N * 24 > 48 && N * 24 <= 56
    "add.rn.f32 w_held, w_held, wd0_48;\n"
#endif
#if N * 24 > 49 && N * 24 <= 57
    "add.rn.f32 w_held, w_held, wd0_49;\n"
#endif
#if N * 24 > 50 && N * 24 <= 58
    "add.rn.f32 w_held, w_held, wd0_50;\n"
#endif
#if N * 24 > 51 && N * 24 <= 59
    "add.rn.f32 w_held, w_held, wd0_51;\n"
#endif
#if N * 24 > 52 && N * 24 <= 60
    "add.rn.f32 w_held, w_held, wd0_52;\n"
#endif
#if N * 24 > 53 && N * 24 <= 61
    "add.rn.f32 w_held, w_held, wd0_53;\n"
#endif
#if N * 24 > 54 && N * 24 <= 62
    "add.rn.f32 w_held, w_held, wd0_54;\n"
#endif
#if N * 24 > 55 && N * 24 <= 63
    "add.rn.f32 w_held, w_held, wd0_55;\n"
#endif
#if N * 24 > 56 && N * 24 <= 64
    "add.rn.f32 w_held, w_held, wd0_56;\n"
#endif
#if N * 24 > 57 && N * 24 <= 65
    "add.rn.f32 w_held, w_held, wd0_57;\n"
#endif
#if N * 24 > 58 && N * 24 <= 66
    "add.rn.f32 w_held, w_held, wd0_58;\n"
#endif
#if N * 24 > 59 && N * 24 <= 67
    "add.rn.f32 w_held, w_held, wd0_59;\n"
#endif
#if N * 24 > 60 && N * 24 <= 68
    "add.rn.f32 w_held, w_held, wd0_60;\n"
#endif
#if N * 24 > 61 && N * 24 <= 69
    "add.rn.f32 w_held, w_held, wd0_61;\n"
#endif
#if N * 24 > 62 && N * 24 <= 70
    "add.rn.f32 w_held, w_held, wd0_62;\n"
#endif
#if N * 24 > 63 && N * 24 <= 71
    "add.rn.f32 w_held, w_held, wd0_63;\n"
#endif
#if N * 24 > 64 && N * 24 <= 72
    "add.rn.f32 w_held, w_held, wd0_64;\n"
#endif
#if N * 24 > 65 && N * 24 <= 73
    "add.rn.f32 w_held, w_held, wd0_65;\n"
#endif
#if N * 24 > 66 && N * 24 <= 74
    "add.rn.f32 w_held, w_held, wd0_66;\n"
#endif
#if N * 24 > 67 && N * 24 <= 75
    "add.rn.f32 w_held, w_held, wd0_67;\n"
#endif
#if N * 24 > 68 && N * 24 <= 76
    "add.rn.f32 w_held, w_held, wd0_68;\n"
#endif
#if N * 24 > 69 && N * 24 <= 77
    "add.rn.f32 w_held, w_held, wd0_69;\n"
#endif
#if N * 24 > 70 && N * 24 <= 78
    "add.rn.f32 w_held, w_held, wd0_70;\n"
#endif
#if N * 24 > 71 && N * 24 <= 79
    "add.rn.f32 w_held, w_held, wd0_71;\n"
#endif
    "xor.b32 w_guard, w_guard, w_held;\n"
    "mov.u64 w_closed, %%clock64;\n"
    "cvt.u32.u64 w_v0, w_closed;\n"
    "add.rn.f32 w_held, w_held, w_v0;\n"
#if N * 24 > 8
    "add.rn.f32 w_held, w_held, wd0_0;\n"
#endif
#if N * 24 > 9
    "add.rn.f32 w_held, w_held, wd0_1;\n"
#endif
#if N * 24 > 10
    "add.rn.f32 w_held, w_held, wd0_2;\n"
#endif
#if N * 24 > 11
    "add.rn.f32 w_held, w_held, wd0_3;\n"
#endif
#if N * 24 > 12
    "add.rn.f32 w_held, w_held, wd0_4;\n"
#endif
#if N * 24 > 13
    "add.rn.f32 w_held, w_held, wd0_5;\n"
#endif
#if N * 24 > 14
    "add.rn.f32 w_held, w_held, wd0_6;\n"
#endif
#if N * 24 > 15
    "add.rn.f32 w_held, w_held, wd0_7;\n"
#endif
#if N * 24 > 16
    "add.rn.f32 w_held, w_held, wd0_8;\n"
#endif
#if N * 24 > 17
    "add.rn.f32 w_held, w_held, wd0_9;\n"
#endif
#if N * 24 > 18
    "add.rn.f32 w_held, w_held, wd0_10;\n"
#endif
#if N * 24 > 19
    "add.rn.f32 w_held, w_held, wd0_11;\n"
#endif
#if N * 24 > 20
    "add.rn.f32 w_held, w_held, wd0_12;\n"
#endif
#if N * 24 > 21
    "add.rn.f32 w_held, w_held, wd0_13;\n"
#endif
#if N * 24 > 22
    "add.rn.f32 w_held, w_held, wd0_14;\n"
#endif
#if N * 24 > 23
    "add.rn.f32 w_held, w_held, wd0_15;\n"
#endif
#if N * 24 > 24
    "add.rn.f32 w_held, w_held, wd0_16;\n"
#endif
#if N * 24 > 25
    "add.rn.f32 w_held, w_held, wd0_17;\n"
#endif
#if N * 24 > 26
    "add.rn.f32 w_held, w_held, wd0_18;\n"
#endif
#if N * 24 > 27
    "add.rn.f32 w_held, w_held, wd0_19;\n"
#endif
#if N * 24 > 28
    "add.rn.f32 w_held, w_held, wd0_20;\n"
#endif
#if N * 24 > 29
    "add.rn.f32 w_held, w_held, wd0_21;\n"
#endif
#if N * 24 > 30
    "add.rn.f32 w_held, w_held, wd0_22;\n"
#endif
#if N * 24 > 31
    "add.rn.f32 w_held, w_held, wd0_23;\n"
#endif
#if N * 24 > 32
    "add.rn.f32 w_held, w_held, wd0_24;\n"
#endif
#if N * 24 > 33
    "add.rn.f32 w_held, w_held, wd0_25;\n"
#endif
#if N * 24 > 34
    "add.rn.f32 w_held, w_held, wd0_26;\n"
#endif
#if N * 24 > 35
    "add.rn.f32 w_held, w_held, wd0_27;\n"
#endif
#if N * 24 > 36
    "add.rn.f32 w_held, w_held, wd0_28;\n"
#endif
#if N * 24 > 37
    "add.rn.f32 w_held, w_held, wd0_29;\n"
#endif
#if N * 24 > 38
    "add.rn.f32 w_held, w_held, wd0_30;\n"
#endif
#if N * 24 > 39
    "add.rn.f32 w_held, w_held, wd0_31;\n"
#endif
#if N * 24 > 40
    "add.rn.f32 w_held, w_held, wd0_32;\n"
#endif
#if N * 24 > 41
    "add.rn.f32 w_held, w_held, wd0_33;\n"
#endif
#if N * 24 > 42
    "add.rn.f32 w_held, w_held, wd0_34;\n"
#endif
#if N * 24 > 43
    "add.rn.f32 w_held, w_held, wd0_35;\n"
#endif
#if N * 24 > 44
    "add.rn.f32 w_held, w_held, wd0_36;\n"
#endif
#if N * 24 > 45
    "add.rn.f32 w_held, w_held, wd0_37;\n"
#endif
#if N * 24 > 46
    "add.rn.f32 w_held, w_held, wd0_38;\n"
#endif
#if N * 24 > 47
    "add.rn.f32 w_held, w_held, wd0_39;\n"
#endif
#if N * 24 > 48
    "add.rn.f32 w_held, w_held, wd0_40;\n"
#endif
#if N * 24 > 49
    "add.rn.f32 w_held, w_held, wd0_41;\n"
#endif
#if N * 24 > 50
    "add.rn.f32 w_held, w_held, wd0_42;\n"
#endif
#if N * 24 > 51
    "add.rn.f32 w_held, w_held, wd0_43;\n"
#endif
#if N * 24 > 52
    "add.rn.f32 w_held, w_held, wd0_44;\n"
#endif
#if N * 24 > 53
    "add.rn.f32 w_held, w_held, wd0_45;\n"
#endif
#if N * 24 > 54
    "add.rn.f32 w_held, w_held, wd0_46;\n"
#endif
#if N * 24 > 55
    "add.rn.f32 w_held, w_held, wd0_47;\n"
#endif
#if N * 24 > 56
    "add.rn.f32 w_held, w_held, wd0_48;\n"
#endif
#if N * 24 > 57
    "add.rn.f32 w_held, w_held, wd0_49;\n"
#endif
#if N * 24 > 58
    "add.rn.f32 w_held, w_held, wd0_50;\n"
#endif
#if N * 24 > 59
    "add.rn.f32 w_held, w_held, wd0_51;\n"
#endif
#if N * 24 > 60
    "add.rn.f32 w_held, w_held, wd0_52;\n"
#endif
#if N * 24 > 61
    "add.rn.f32 w_held, w_held, wd0_53;\n"
#endif
#if N * 24 > 62
    "add.rn.f32 w_held, w_held, wd0_54;\n"
#endif
#if N * 24 > 63
    "add.rn.f32 w_held, w_held, wd0_55;\n"
#endif
#if N * 24 > 64
    "add.rn.f32 w_held, w_held, wd0_56;\n"
#endif
#if N * 24 > 65
    "add.rn.f32 w_held, w_held, wd0_57;\n"
#endif
#if N * 24 > 66
    "add.rn.f32 w_held, w_held, wd0_58;\n"
#endif
#if N * 24 > 67
    "add.rn.f32 w_held, w_held, wd0_59;\n"
#endif
#if N * 24 > 68
    "add.rn.f32 w_held, w_held, wd0_60;\n"
#endif
#if N * 24 > 69
    "add.rn.f32 w_held, w_held, wd0_61;\n"
#endif
#if N * 24 > 70
    "add.rn.f32 w_held, w_held, wd0_62;\n"
#endif
#if N * 24 > 71
    "add.rn.f32 w_held, w_held, wd0_63;\n"
#endif
    "xor.b32 w_guard, w_guard, w_held;\n"
    "cvt.u32.u64 w_v0, w_closed;\n"
    "and.b32 w_v0, w_v0, w_zero;\n"
    "add.u32 w_pass, w_pass, w_v0;\n"
    "add.u32 w_pass, w_pass, 1;\n"
    "setp.lt.u32 w_more, w_pass, w_passes;\n"
    "@w_more bra.uni w_next;\n"
    "mov.u32 w_v0, %%ctaid.x;\n"
    "shr.u32 w_v1, w_ntid, 5;\n"
    "shr.u32 w_v2, w_tid, 5;\n"
    "mad.lo.u32 w_v0, w_v0, w_v1, w_v2;\n"
    "mad.wide.u32 w_place, w_v0, 16, w_clocks;\n"
    "st.global.b64 [w_place], w_opened;\n"
    "st.global.b64 [w_place+8], w_closed;\n"
    "add.u32 w_v0, w_zero, 0x9e3779b9;\n"
    "setp.eq.u32 w_more, w_guard, w_v0;\n"
    "mad.wide.u32 w_place, w_tid, 4, w_sink;\n"
    "@w_more st.global.b32 [w_place], w_guard;\n"
    :: "l"(args.clocks), "l"(args.data), "l"(args.sink), "r"(args.passes), "r"(args.zero) : "memory");
}
