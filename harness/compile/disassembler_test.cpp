#include "code/disassembler.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/testing/matchers.hpp"
#include "code/testing/listing.hpp"
#include "code/toolkit.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/testing/probes.hpp"

namespace warpclock {
namespace {

std::string compiled(const Arch& arch) {
  CompileRequest request;
  request.unit = testing::read("harness/compile/testdata/branches.cu");
  request.target = {arch, false};
  const Compilation result = compile(std::move(request));
  EXPECT_EQ(result.status, Compilation::Status::Done) << result.log;
  return result.image;
}

/// The operands, with the label or number of a branch replaced by the address of its target.
std::vector<std::string> without_targets(const Instruction& instruction) {
  std::vector<std::string> operands = instruction.operands;
  if (!instruction.branch_target) return operands;
  for (std::string& operand : operands) {
    const std::size_t at = std::min(operand.find("`("), operand.find("0x"));
    if (at != operand.npos) operand = fmt::format("{}{}", operand.substr(0, at), *instruction.branch_target);
  }
  return operands;
}

void expect_same(const Listing& words, const Listing& whole) {
  EXPECT_EQ(words.kernel, whole.kernel);
  EXPECT_EQ(words.target, whole.target);
  ASSERT_EQ(words.instructions.size(), whole.instructions.size()) << words.kernel;
  for (std::size_t i = 0; i < words.instructions.size(); ++i) {
    const Instruction &one = words.instructions[i], &other = whole.instructions[i];
    SCOPED_TRACE(fmt::format("{}: '{}' and '{}' at {:#x}", words.kernel, one.text, other.text, one.address));
    EXPECT_EQ(one.address, other.address);
    EXPECT_EQ(one.predicate, other.predicate);
    EXPECT_EQ(one.name(), other.name());
    EXPECT_EQ(one.low, other.low);
    EXPECT_EQ(one.high, other.high);
    EXPECT_EQ(one.control, other.control);
    EXPECT_EQ(one.branch_target, other.branch_target);
    EXPECT_EQ(without_targets(one), without_targets(other));
    EXPECT_EQ(one.text.find('`'), std::string::npos);
    EXPECT_TRUE(one.branch_target || one.text == other.text);
  }
}

std::string joined(const KernelTexts& texts) {
  std::string all;
  for (const auto& [kernel, text] : texts) all += text;
  return all;
}

class DisassemblerTest : public ::testing::Test {
 protected:
  Expected<KernelTexts> read(const Arch& arch, const std::string& image) {
    return disassembler_.read(nvdisasm_, arch, {image}).front();
  }

  const std::string nvdisasm_ = find_nvdisasm().value();
  Disassembler disassembler_;
};

TEST_F(DisassemblerTest, SaysWhatNvdisasmSaysOfTheWholeCubinOnEveryArchitecture) {
  std::vector<Arch> archs = verified_archs();
  archs.push_back({supported_sms().front(), false});
  archs.push_back({supported_sms().back(), false});
  for (const Arch& arch : archs) {
    SCOPED_TRACE(to_string(arch));
    const testing::TemporaryFolder folder;
    const std::string image = compiled(arch);
    testing::write(folder / "x.cubin", image);
    const auto text = must(disassemble(nvdisasm_, folder / "x.cubin"));
    const auto whole = parse_listings(text);
    const auto texts = read(arch, image);
    ASSERT_TRUE(whole && texts) << texts.error().message();
    const auto words = must(parse_listings(joined(*texts)));
    ASSERT_EQ(words.size(), whole->size());
    EXPECT_EQ(words.size(), 7U);
    std::size_t branches = 0;
    for (const Listing& listing : words) {
      expect_same(listing, *std::ranges::find(*whole, listing.kernel, &Listing::kernel));
      branches += static_cast<std::size_t>(std::ranges::count_if(
          listing.instructions, [](const Instruction& one) { return one.branch_target.has_value(); }));
    }
    EXPECT_GT(branches, 20U);
  }
}

TEST_F(DisassemblerTest, AnUnknownInstructionIsForThoseThatReadTheWhole) {
  const Arch arch = testing::arch("sm_90a");
  const std::string good = compiled(arch);
  std::string bad = good;
  const auto at = bad.find(std::string("\x4d\x79\0\0\0\0\0\0", 8));
  ASSERT_NE(at, bad.npos) << "there is no EXIT";
  bad.replace(at, 16, 16, '\xff');
  const auto both = disassembler_.read(nvdisasm_, arch, {good, bad});
  EXPECT_TRUE(both[0]) << both[0].error().message();
  ASSERT_FALSE(both[1]);
  EXPECT_EQ(both[1].error().code, "nvdisasm");
  EXPECT_FALSE(disassembler_.hopeless(nvdisasm_, arch));
}

TEST_F(DisassemblerTest, AnArchitectureThatIsNotKnownIsNotAskedForAgain) {
  const Arch arch{999, true};
  EXPECT_FALSE(read(arch, compiled(testing::arch("sm_90a"))));
  EXPECT_TRUE(disassembler_.hopeless(nvdisasm_, arch));
  EXPECT_FALSE(disassembler_.hopeless(nvdisasm_, testing::arch("sm_90a")));
}

TEST_F(DisassemblerTest, GarbledImagesAreRefused) {
  const Arch arch = testing::arch("sm_80");
  const std::string good = compiled(arch);
  ASSERT_TRUE(read(arch, good));
  EXPECT_EQ(read(arch, good.substr(0, good.size() / 2)).error().code, "elf");
  EXPECT_EQ(read(arch, "").error().code, "elf");
  // Every new word would start nvdisasm, so a script that always fails replaces it.
  const testing::TemporaryFolder folder;
  const std::string none = testing::write_script(folder / "none", "exit 1\n");
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string image = good;
    for (std::uint32_t edits = 1 + random() % 16; edits > 0; --edits) {
      image[random() % image.size()] = static_cast<char>(random());
    }
    EXPECT_FALSE(disassembler_.read(none, arch, {image}).front()) << round;
  }
}

}  // namespace
}  // namespace warpclock
