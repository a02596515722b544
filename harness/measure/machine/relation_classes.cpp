#include "measure/machine/relation_classes.hpp"

#include <utility>

namespace warpclock {
namespace {

/// An instruction that represents its class. Several keys: the first that the architecture has.
struct ClassForm {
  std::array<std::string_view, 2> keys;
  bool pairs = true;  ///< also measured together with others
};

constexpr std::array<ClassForm, 30> classes{{
    {{"@PT FFMA R#, R#, R#, R#"}},
    {{"@PT FADD R#, R#, R#"}},
    {{"@PT HFMA2 R#, R#, R#, R#"}},
    {{"@PT HFMA2.MMA R#, R#, R#, R#"}},
    {{"@PT HADD2 R#, R#, R#"}, false},
    {{"@PT IMAD R#, R#, R#, R#"}},
    {{"@PT IMAD.WIDE.U32 R#, R#, R#, R#"}},
    {{"@PT IADD3 R#, R#, R#, R#", "@PT IADD3 R#, PT, PT, R#, R#, R#"}},
    {{"@PT LOP3.LUT R#, R#, R#, R#, #, !PT"}},
    {{"@PT SHF.R.W.U32 R#, R#, R#, R#"}},
    {{"@PT PRMT R#, R#, R#, R#"}},
    {{"@PT SEL R#, R#, R#, P#"}, false},
    {{"@PT FMNMX R#, R#, R#, !PT"}},
    {{"@PT F2FP.F16.F32.PACK_AB R#, R#, R#"}},
    {{"@PT DFMA R#, R#, R#, R#"}},
    {{"@PT HMMA.16816.F32 R#, R#, R#, R#"}},
    {{"@PT HMMA.16816.F16 R#, R#, R#, R#"}, false},
    {{"@PT IMMA.16832.S8.S8 R#, R#.ROW, R#.COL, R#"}, false},
    {{"@PT DMMA.8x8x4 R#, R#, R#, R#"}, false},
    {{"@PT MUFU.EX2 R#, R#"}},
    {{"@PT POPC R#, R#"}, false},
    {{"@PT F2I.TRUNC.NTZ R#, R#"}, false},
    {{"@PT F2F.F64.F32 R#, R#"}},
    {{"@PT SHFL.BFLY PT, R#, R#, #, #"}},
    {{"@PT LDS R#, [R#+#]"}},
    {{"@PT LDS.128 R#, [R#+#]"}},
    {{"@PT LDSM.16.M88.4 R#, [R#+#]"}},
    {{"@PT STS [R#+#], R#"}},
    {{"@PT LDG.E R#, desc[UR#+#][R#.64+#]"}, false},
    {{"@PT ATOMS.ADD R#, [R#+#], R#"}, false},
}};

}  // namespace

std::optional<RelationForm> relation_form(const FormTable& forms, std::string_view key, const Movers& movers) {
  const WordForm* form = forms.find(key);
  if (form == nullptr) return std::nullopt;
  auto subject = machine_subject(*form, movers);
  if (!subject) return std::nullopt;
  return RelationForm{std::string(key), *std::move(subject), false};
}

std::vector<RelationForm> relation_classes(const FormTable& forms, const Movers& movers) {
  std::vector<RelationForm> known;
  for (const ClassForm& one : classes) {
    std::optional<RelationForm> found;
    for (const std::string_view key : one.keys) {
      if (!found && !key.empty()) found = relation_form(forms, key, movers);
    }
    if (!found) continue;
    found->pairs = one.pairs;
    known.push_back(*std::move(found));
  }
  return known;
}

}  // namespace warpclock
