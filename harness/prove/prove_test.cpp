#include "prove/prove.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "code/toolkit.hpp"
#include "fields/form_table.hpp"
#include "measure/machine/holes.hpp"
#include "prove/operands.hpp"
#include "record/testing/golden.hpp"

namespace warpclock {
namespace {

const Arch& arch() {
  static const Arch one = parse_arch("sm_90a").value();
  return one;
}

const ProofFrame& frame() {
  static Holes holes(arch(), find_nvdisasm().value(), "");
  static const Hole& hole = must(holes.get(HoleKind::Operands));
  static const ProofFrame made = must(proof_frame(arch(), holes.nvdisasm(), hole));
  return made;
}

std::vector<WordForm> forms_with(std::string_view part) {
  std::vector<WordForm> forms;
  for (const WordForm& form : forms_of(arch()).all())
    if (key_of(form).contains(part)) forms.push_back(form);
  return forms;
}

/// The records of all GPUs that have one.
const std::vector<ProofTable>& committed() {
  static const std::vector<ProofTable> all = [] {
    std::vector<ProofTable> found;
    for (const auto& gpu : std::filesystem::directory_iterator(std::filesystem::path(WARPCLOCK_SOURCE_DIR) / "reports"))
      if (has_packed_file(gpu.path() / proof_file)) found.push_back(must(read_proofs(gpu.path())));
    return found;
  }();
  return all;
}

/// What the executor computes of all forms has the digests of the GPUs. testdata/not_verified.txt has the forms of
/// which that is not so, and why.
TEST(Prove, TheExecutorComputesWhatGpusDid) {
  ASSERT_FALSE(committed().empty());
  const std::map<std::string, std::string> recorded = digests_of(committed().front());
  for (const ProofTable& other : committed()) EXPECT_EQ(digests_of(other), recorded) << other.device.name;
  const std::vector<WordForm> forms(forms_of(arch()).all().begin(), forms_of(arch()).all().end());
  const auto proved = must(prove_forms({.frame = &frame(), .forms = forms, .recorded = recorded}));
  ASSERT_EQ(proved.size(), forms.size());
  std::string others;
  for (const ProvedForm& form : proved) {
    EXPECT_NE(form.proof, Proof::Differs) << form.key;
    if (form.proof == Proof::Verified)
      EXPECT_GE(form.sets, 1000) << form.key;
    else
      others += form.key + ": " + (form.reason ? form.reason->text : "differs") + "\n";
  }
  testing::expect_golden("not_verified.txt", others, "prove");
}

/// With other results, the form differs; without any, nothing is known of it.
TEST(Prove, AnotherResultShows) {
  const std::vector<WordForm> forms = forms_with("@PT IADD3 R#, R#, R#, R#");
  ASSERT_EQ(forms.size(), 1U);
  const std::string key = key_of(forms[0]);
  const std::map<std::string, std::string> recorded = digests_of(committed().front());
  const auto proof = [&](std::map<std::string, std::string> of) {
    return must(prove_forms({.frame = &frame(), .forms = forms, .recorded = std::move(of)})).front().proof;
  };
  EXPECT_EQ(proof(recorded), Proof::Verified);
  EXPECT_EQ(proof({}), Proof::NotRun);
  EXPECT_EQ(proof({{key, recorded.at("@PT IADD3 R#, R#, R#, RZ")}}), Proof::Differs);
}

/// The words of the image are what the executor reads, with the operands in the registers that they name.
TEST(Prove, TheFirstDifferenceIsNamed) {
  std::vector<ProofWindow> windows{proof_window(frame(), forms_with("@PT IADD3 R#, R#, R#, R#").front())};
  ASSERT_FALSE(windows[0].reason) << windows[0].reason->text;
  const PlacedTexts texts(frame(), windows);
  ProofExecution execution(frame(), must(kernel_in(frame(), texts, windows[0].image, 0)));
  const std::string operands = operand_data(0, OperandsOf::Thread);
  const ExecutedResults results = must(execution.run(operands, false));
  EXPECT_TRUE(results.all_followed());
  const Filling& filling = windows[0].fillings[0];
  EXPECT_EQ(first_difference(frame().hole, filling, operands, results.kept, results), "");
  const auto word = [&](const std::string& data, std::size_t quad, std::size_t component) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, data.data() + quad * hole_layout::quad_bytes + 5 * 16 + 4 * component, sizeof bits);
    return bits;
  };
  const std::uint32_t a = word(operands, 4, 1), b = word(operands, 5, 2), c = word(operands, 6, 3);
  EXPECT_EQ(word(results.kept, 0, 0), a + b + c);
  std::string other = results.kept;
  other[5 * 16] = static_cast<char>(~other[5 * 16]);
  const std::string text = first_difference(frame().hole, filling, operands, other, results);
  EXPECT_THAT(text, HasSubstr("thread 5 with"));
  EXPECT_THAT(text, HasSubstr(fmt::format("= {:#x}", b)));
  EXPECT_THAT(text, HasSubstr(fmt::format("{:#x} here (1 words differ)", a + b + c)));
}

/// Each kernel of a form with numbers has other ones, and constants are those of the argument.
TEST(Prove, NumbersAndConstantsVary) {
  std::vector<ProofWindow> windows{proof_window(frame(), forms_with("@PT LOP3.LUT R#, R#, R#, R#, #, !PT").front()),
                                   proof_window(frame(), forms_with("@PT IADD3 R#, R#, R#, RZ").front()),
                                   proof_window(frame(), forms_with("@PT UMOV UR#, UR#").front())};
  EXPECT_EQ(windows[0].fillings.size(), 4U);
  EXPECT_EQ(windows[1].fillings.size(), 1U);
  EXPECT_EQ(windows[2].launches.size(), operand_launches);
  EXPECT_EQ(windows[2].sets, 1024U);
  const PlacedTexts texts(frame(), windows);
  std::set<std::string> tables;
  for (std::size_t i = 0; i < windows[0].fillings.size(); ++i) {
    const LoadedKernel kernel = must(kernel_in(frame(), texts, windows[0].image, i));
    for (const Instruction& one : kernel.listing.instructions)
      if (one.opcode == "LOP3" && one.operands.size() == 6) tables.insert(one.operands[4]);
  }
  EXPECT_GE(tables.size(), 4U);
}

TEST(Prove, WhatHasNoResultIsNotComposed) {
  const auto code = [](std::string_view part) {
    const ProofWindow window = proof_window(frame(), forms_with(part).front());
    return window.reason ? window.reason->code : std::string();
  };
  EXPECT_EQ(code("@PT NOP"), "no-result");
  EXPECT_EQ(code("@PT BAR.ARV"), "no-result");
  EXPECT_EQ(code("@PT BSYNC"), "set-up");
  EXPECT_EQ(code("@PT CS2R R#, SR_CLOCKLO"), "no-result");
}

TEST(ProofRecord, IsReadAsItWasWritten) {
  ProofTable table = committed().front();
  const std::string text = to_json(table);
  EXPECT_EQ(to_json(must(read_proof_table(text, "semantics.json"))), text);
  EXPECT_EQ(failure_of(read_proof_table("{", "semantics.json")).code, "record");
  table.operands = "0";
  EXPECT_EQ(failure_of(read_proof_table(to_json(table), "semantics.json")).code, "record-operands");
}

}  // namespace
}  // namespace warpclock
