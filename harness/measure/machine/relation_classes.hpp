#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compose/machine_subject.hpp"
#include "fields/form_table.hpp"

namespace warpclock {

/// Forms with three source registers, which can conflict in a bank, and of different pipes.
inline constexpr std::array<std::string_view, 7> bank_keys{
    "@PT FFMA R#, R#, R#, R#",       "@PT HFMA2 R#, R#, R#, R#",         "@PT IMAD R#, R#, R#, R#",
    "@PT IADD3 R#, R#, R#, R#",      "@PT IADD3 R#, PT, PT, R#, R#, R#", "@PT LOP3.LUT R#, R#, R#, R#, #, !PT",
    "@PT SHF.R.W.U32 R#, R#, R#, R#"};

inline constexpr std::array<std::string_view, 4> reuse_keys{
    "@PT HMMA.16816.F32 R#, R#, R#, R#", "@PT HMMA.16816.F32.BF16 R#, R#, R#, R#",
    "@PT HMMA.1688.F32.TF32 R#, R#, R#, R#", "@PT IMMA.16832.S8.S8 R#, R#.ROW, R#.COL, R#"};

/// Forms that differ from one of the classes in an operand or in the operation: pairs show whether they issue and read
/// their operands alike. And the classes with which they are paired.
inline constexpr std::array<std::string_view, 3> variant_keys{"@PT IMAD.WIDE.U32 R#, R#, R#, RZ", "@PT DADD R#, R#, R#",
                                                              "@PT DMUL R#, R#, R#"};
inline constexpr std::array<std::string_view, 4> variant_partners{"@PT FFMA R#, R#, R#, R#", "@PT IMAD R#, R#, R#, R#",
                                                                  "@PT LOP3.LUT R#, R#, R#, R#, #, !PT",
                                                                  "@PT HMMA.16816.F32 R#, R#, R#, R#"};

inline constexpr std::array<std::string_view, 6> fetch_keys{
    "@PT FFMA R#, R#, R#, R#", "@PT IMAD R#, R#, R#, R#",          "@PT IADD3 R#, R#, R#, R#",
    "@PT HADD2 R#, R#, R#",    "@PT IADD3 R#, PT, PT, R#, R#, R#", "@PT HMMA.16816.F32 R#, R#, R#, R#"};

/// Multiplies of warp groups, with A from shared memory and from registers.
inline constexpr std::array<std::string_view, 2> multiply_keys{"@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#, gsb0",
                                                               "@PT HGMMA.64x256x16.F32 R#, R#, gdesc[UR#+#], R#"};

/// A form of which relations are measured.
struct RelationForm {
  std::string key;
  MachineSubject subject;
  bool pairs = false;  ///< also measured together with others
};

/// Nothing if the architecture does not have it, or if it cannot be composed.
[[nodiscard]] std::optional<RelationForm> relation_form(const FormTable& forms, std::string_view key,
                                                        const Movers& movers);

/// Those that stand for pipes, and for memory and tensor results, as far as the architecture has them.
[[nodiscard]] std::vector<RelationForm> relation_classes(const FormTable& forms, const Movers& movers);

}  // namespace warpclock
