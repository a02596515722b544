#include "ptx/catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/files/embedded.hpp"
#include "base/lookup.hpp"
#include "base/testing/matchers.hpp"
#include "plan/sweep.hpp"
#include "ptx/opcodes.hpp"

namespace warpclock {
namespace {

std::vector<std::string> names(const std::vector<std::string>& lines) {
  return names_of(mapped(lines, [&](const std::string& line) { return Form{line, {}}; }));
}

TEST(Ids, AreMnemonicsWhereThoseTellFormsApart) {
  EXPECT_THAT(names({"add.s32 {d}, {a}, {b}", "lop3.b32 {d}, {a}, {b}, {c}, 0x96", "bar.sync 0", "membar.gl"}),
              ElementsAre("add.s32", "lop3.b32", "bar.sync", "membar.gl"));
}

TEST(Ids, NameWhatIsNoPlainOperand) {
  EXPECT_THAT(names({"setp.lt.s32 {p}, {a}, {b}", "setp.lt.s32 {p}|{q}, {a}, {b}"}),
              ElementsAre("setp.lt.s32", "setp.lt.s32[p|q]"));
  EXPECT_THAT(names({"mov.u32 {d}, {a}", "mov.u32 {d}, %tid.x", "mov.u32 {d}, WARP_SZ"}),
              ElementsAre("mov.u32", "mov.u32[%tid.x]", "mov.u32[WARP_SZ]"));
  EXPECT_THAT(names({"mov.b64 {d}, {a}", "mov.b64 {d}, {{a}, {b}}", "mov.b64 {{d}, {e}}, {a}"}),
              ElementsAre("mov.b64", "mov.b64[{a,b}]", "mov.b64[{d,e}]"));
}

TEST(Ids, LeaveOutWhatAllHave) {
  EXPECT_THAT(
      names({"shfl.sync.idx.b32 {d}, {a}, {b}, {c}, 0xffffffff", "shfl.sync.idx.b32 {d}, {a}, 1, 0x1f, 0xffffffff"}),
      ElementsAre("shfl.sync.idx.b32", "shfl.sync.idx.b32[1,0x1f]"));
}

TEST(Ids, NameOperandsThatOthersLack) {
  EXPECT_THAT(names({"min.f32 {d}, {a}, {b}", "min.f32 {d}, {a}, {b}, {c}"}), ElementsAre("min.f32", "min.f32[c]"));
  EXPECT_THAT(
      names({"cp [{d}], [{a}], 4", "cp [{d}], [{a}], 16", "cp [{d}], [{a}], 16, {b}", "cp [{d}], [{a}], 16, {p}"}),
      ElementsAre("cp[4]", "cp[16]", "cp[16,b]", "cp[16,p]"));
}

TEST(Ids, NameChoices) {
  const Form plain{"mul.lo.s32 {d}, {a}, {b}", {}};
  const Form by_three{"mul.lo.s32 {d}, {a}, {b}", {.operands = {{"b", "imm:3"}}, .values = {{"a", "zero"}}}};
  EXPECT_THAT(names_of({plain, by_three}), ElementsAre("mul.lo.s32", "mul.lo.s32[b=imm:3,a=zero]"));
  EXPECT_THAT(names_of({by_three}), ElementsAre("mul.lo.s32[b=imm:3,a=zero]")) << "also alone";
}

TEST(Ids, AreEqualForFormsThatDifferInNamesOnly) {
  EXPECT_THAT(names({"neg.s32 {d}, {a}", "neg.s32 {x}, {y}"}), ElementsAre("neg.s32", "neg.s32"));
}

constexpr const char* opcode_table = "instructions/opcodes.yaml";

/// A catalogue of one family, "f", with these `instructions` and the committed table of opcodes.
Expected<Catalogue> load(const std::string& instructions) {
  return load_catalogue({{opcode_table, embedded_configs().at(opcode_table)},
                         {"instructions/f.yaml", "family: f\ninstructions:\n" + instructions}});
}

std::vector<std::string> ids(const Expected<Catalogue>& catalogue) {
  if (!catalogue) return {catalogue.error().message()};
  return mapped(catalogue->entries, &CatalogueEntry::id);
}

const Catalogue& committed() {
  static const Catalogue catalogue = must(load_catalogue(embedded_configs()));
  return catalogue;
}

TEST(Catalogue, PutsEveryWordInTheFirstSlowest) {
  EXPECT_THAT(ids(load("  - ptx: \"{op}{sat}.s32 {d}, {a}, {b}\"\n    op: [add, sub]\n    sat: [\"\", .sat]\n")),
              ElementsAre("f/add.s32", "f/add.sat.s32", "f/sub.s32", "f/sub.sat.s32"));
  EXPECT_THAT(ids(load("  - {ptx: \"{op}.s32 {d}, {a}, {b}\", op: add}\n")), ElementsAre("f/add.s32"));
  EXPECT_THAT(ids(load("  - ptx: \"shl.b32 {d}, {a}, {n}\"\n    n: [1, 2]\n")),
              ElementsAre("f/shl.b32[1]", "f/shl.b32[2]"));
}

TEST(Catalogue, LeavesOutWhatIsExcepted) {
  EXPECT_THAT(ids(load("  - ptx: \"{op}{sat}.{type} {d}, {a}, {b}\"\n    op: [add, sub]\n    sat: [\"\", .sat]\n"
                       "    type: [s32, u32]\n"
                       "    except: [{sat: .sat, type: u32}, {sat: \"\", op: [add, sub], type: s32}, {op: sub}]\n")),
              ElementsAre("f/add.u32", "f/add.sat.s32"));
}

TEST(Catalogue, KeepsWhatIsSaidOfAnEntry) {
  const auto catalogue = must(load_catalogue({{opcode_table, embedded_configs().at(opcode_table)},
                                              {"instructions/f.yaml",
                                               "family: f\ninstructions:\n"
                                               "  - ptx: \"fma.rn.f32 {d}, {a}, {b}, {c}\"\n"
                                               "    needs: {min: sm_80, only: [sm_90a], why: just so}\n"
                                               "    values: {a: denormal}\n    operands: {b: \"imm:3\"}\n"
                                               "left_out: [{what: the rest, why: \"it is a test\"}]\n"}}));
  ASSERT_THAT(catalogue.entries, SizeIs(1));
  const CatalogueEntry& entry = catalogue.entries.front();
  EXPECT_EQ(entry.id, "f/fma.rn.f32[b=imm:3,a=denormal]");
  EXPECT_EQ(entry.family, "f");
  EXPECT_EQ(entry.ptx, "fma.rn.f32 {d}, {a}, {b}, {c}");
  EXPECT_EQ(entry.place, "instructions/f.yaml:3:10");
  EXPECT_EQ(entry.needs.min_sm, 80);
  EXPECT_THAT(entry.needs.only, ElementsAre(Arch{90, true}));
  EXPECT_EQ(entry.needs.why, "just so");
  EXPECT_EQ(entry.instruction.mnemonic, "fma.rn.f32");
  ASSERT_THAT(entry.instruction.operands, SizeIs(4));
  EXPECT_EQ(entry.instruction.operands[1].value, "denormal");
  EXPECT_EQ(entry.instruction.operands[2].immediate, "3");
  ASSERT_THAT(catalogue.left_out, SizeIs(1));
  EXPECT_EQ(catalogue.left_out.front().what, "the rest");
}

struct Malformed {
  const char* instructions;
  const char* place;  ///< in instructions/f.yaml, whose first entry is on line 3
  const char* text;
};

class MalformedCatalogue : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedCatalogue, IsRefusedWhereItIsWrong) {
  const Error catalogue = failure_of(load(GetParam().instructions));
  EXPECT_EQ(catalogue.code, "config");
  EXPECT_EQ(catalogue.place, std::string("instructions/f.yaml:") + GetParam().place) << catalogue.text;
  EXPECT_THAT(catalogue.text, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MalformedCatalogue,
    testing::Values(
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\", values_: {a: zero}}\n", "3:31", "unknown key 'values_' (did you"},
        Malformed{"  - {ptx: \"neg.{type} {d}, {a}\", types: [s32]}\n", "3:34",
                  "unknown key 'types' (did you mean 'ty"},
        Malformed{"  - {ptx: \"neg.{type} {d}, {a}\"}\n", "3:11", "no key says what '{type}' can be"},
        Malformed{"  - {needs: {min: sm_80}}\n", "3:5", "missing key 'ptx'"},
        Malformed{"  - {round: [rn, rz]}\n", "3:5", "missing key 'ptx'"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: [s32, s32]}\n", "3:5", "the value s32 twice"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: []}\n", "3:34", "empty"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: [\"s32 x\"]}\n", "3:35", "'s32 x' is not part"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: [s32], except: [{t: s16}]}\n", "3:54", "'t' is never 's16'"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: [s32], except: [{u: s16}]}\n", "3:54", "unknown word 'u'"},
        Malformed{"  - {ptx: \"neg.{t} {d}, {a}\", t: [s32, s64], except: [{t: s32}, {t: s64}]}\n", "3:5", "no point"},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\", needs: {min: sm_90a}}\n", "3:44", "sm_90a"},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\", needs: {why: so}}\n", "3:38", "missing key 'min' or 'only'"},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\", values: {b: zero}}\n", "3:43", "unknown operand 'b'"},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\", values: {a: zeros}}\n", "3:43", "unknown value 'zeros' (did you"},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}\"}\n  - {ptx: \"neg.s32 {x}, {y}\"}\n", "4:11",
                  "'f/neg.s32' is given twice (first at instructions/f.yaml:3:11)"},
        Malformed{"  - {ptx: \"{op}.s32 {d}, {a}\", op: [neg, nag]}\n", "3:11", "'nag.s32 {d}, {a}': "},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a}, {b}\"}\n", "3:11", "'neg.s32 {d}, {a}, {b}': "},
        Malformed{"  - {ptx: \"neg.s32 {d}, {a\"}\n", "3:11", "'neg.s32 {d}, {a': "}));

TEST(Catalogue, HasEachFamilyInOneFile) {
  const auto catalogue =
      load_catalogue({{opcode_table, embedded_configs().at(opcode_table)},
                      {"instructions/a.yaml", "family: f\ninstructions: [{ptx: \"neg.s32 {d}, {a}\"}]\n"},
                      {"instructions/b.yaml", "family: f\ninstructions: [{ptx: \"neg.s64 {d}, {a}\"}]\n"}});
  ASSERT_FALSE(catalogue);
  EXPECT_EQ(catalogue.error().message(),
            "instructions/b.yaml:1:9: family: family 'f' is given twice (first at instructions/a.yaml:1:9)");
}

TEST(Catalogue, IsNeverACrashHoweverDamaged) {
  const std::string small =
      "opcodes:\n  - section: s\n    kind: arithmetic\n    rows: [{opcode: add, operands: [=d:T, a:T, b:T]}]\n";
  const std::string whole =
      "family: f\ninstructions:\n  - ptx: \"{op}{sat}.{t} {d}, {a}, {b}\"\n    op: [add]\n    sat: [\"\", .sat]\n"
      "    t: [u32, s64]\n    needs: {min: sm_80, only: [sm_90a]}\n    operands: {b: \"imm:3\"}\n"
      "    values: {a: zero}\n    except: [{sat: .sat, t: u32}]\nleft_out: [{what: w, why: y}]\n";
  const auto intact = load_catalogue({{opcode_table, small}, {"instructions/f.yaml", whole}});
  ASSERT_TRUE(intact) << intact.error().message();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::string> damaged = {whole.substr(0, i), whole.substr(i), std::string(whole).erase(i, 1)};
    for (const char c : {'{', ',', '"', '\n'}) damaged.push_back(std::string(whole).replace(i, 1, 1, c));
    for (const std::string& text : damaged) {
      const auto catalogue = load_catalogue({{opcode_table, small}, {"instructions/f.yaml", text}});
      if (catalogue) continue;
      EXPECT_EQ(catalogue.error().code, "config") << text;
      EXPECT_TRUE(catalogue.error().place.starts_with("instructions/f.yaml:")) << catalogue.error().message() << "\n"
                                                                               << text;
    }
  }
}

TEST(Catalogue, NeedsItsTableOfOpcodes) {
  EXPECT_EQ(load_catalogue({{"baseline.yaml", ""}}).error().message(), "there is no instructions/opcodes.yaml");
}

TEST(CommittedCatalogue, HasAThousandInstructionsOfTheH200AndEveryFamily) {
  std::map<std::string, std::map<std::string, int>> counts;
  std::map<std::string, int> totals;
  for (const CatalogueEntry& entry : committed().entries) {
    for (const Arch& arch : verified_archs()) {
      if (!has(arch, entry.needs)) continue;
      ++counts[entry.family][to_string(arch)];
      ++totals[to_string(arch)];
    }
  }
  std::vector<std::string> families;
  for (const auto& [family, count] : counts) {
    families.push_back(family);
    std::string line;
    for (const Arch& arch : verified_archs()) line += " " + std::to_string(counts[family][to_string(arch)]);
    std::printf("%-14s%s\n", family.c_str(), line.c_str());
  }
  for (const auto& [arch, total] : totals) std::printf("%s: %d\n", arch.c_str(), total);
  EXPECT_GE(totals["sm_90a"], 1000);
  EXPECT_THAT(families, ElementsAre("address", "async", "atomic", "barrier", "bf16", "bit", "cache_control", "compare",
                                    "convert", "dot", "extended", "fence", "fp16", "fp32", "fp64", "integer", "load",
                                    "logic", "matrix_move", "mbarrier", "misc", "mixed", "mma", "mma_sparse", "move",
                                    "packed", "reduction", "registers", "special", "store", "video", "warp", "wmma"));
}

/// Also if different templates expand to the same line, or if a constant of the opcode table makes lines equal.
TEST(CommittedCatalogue, HasNoInstructionTwice) {
  std::map<std::pair<std::string, std::vector<std::string>>, std::string> seen;
  for (const CatalogueEntry& entry : committed().entries) {
    std::vector<std::string> details;
    for (const Operand& operand : entry.instruction.operands) {
      details.push_back(operand.type + "=" + operand.immediate + operand.value);
    }
    const auto [first, fresh] = seen.emplace(std::pair(entry.instruction.text, details), entry.id);
    EXPECT_TRUE(fresh) << entry.id << " is " << first->second;
  }
}

/// Every opcode has an entry, unless the opcode table marks each of its forms as not measured.
TEST(CommittedCatalogue, HasEveryOpcodeOfTheTable) {
  const Expected<OpcodeTable> opcodes = load_opcodes(opcode_table, embedded_configs().at(opcode_table));
  ASSERT_TRUE(opcodes) << opcodes.error().message();
  std::set<std::string> present;
  for (const CatalogueEntry& entry : committed().entries) present.insert(entry.instruction.opcode);
  for (const auto& [opcode, rows] : opcodes->rows) {
    const bool measured = std::ranges::any_of(rows, &std::string::empty, &OpcodeRow::unsupported);
    EXPECT_TRUE(present.contains(opcode) || !measured) << opcode;
  }
}

TEST(CommittedCatalogue, SaysWhyForAllThatIsLeftOut) {
  EXPECT_FALSE(committed().left_out.empty());
  for (const LeftOut& part : committed().left_out) EXPECT_GT(part.why.size(), 20U) << part.what;
}

}  // namespace
}  // namespace warpclock
