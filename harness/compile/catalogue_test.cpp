#include "ptx/catalogue/catalogue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/files/embedded.hpp"
#include "base/testing/matchers.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "plan/sweep.hpp"

namespace warpclock {
namespace {

using Entries = std::span<const CatalogueEntry* const>;

std::string register_name(std::size_t operand, int element) { return fmt::format("x{}_{}", operand, element); }

/// The instruction in a block that declares its registers. The registers stay unset because the block is only
/// assembled.
std::string block(const PtxInstruction& instruction) {
  std::string text = "{ ";
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Operand& operand = instruction.operands[i];
    if (!operand.immediate.empty()) continue;
    for (int element = 0; element < operand.elements; ++element) {
      text += fmt::format(".reg .{} {}; ", ptx_type(operand.file), register_name(i, element));
    }
  }
  return text + render(instruction, register_name) + " }";
}

Compilation assemble(Entries entries, const Arch& arch) {
  std::string unit = "extern \"C\" __global__ void catalogue() {\n";
  for (const CatalogueEntry* entry : entries) unit += fmt::format("asm volatile(\"{}\");\n", block(entry->instruction));
  return compile({.unit = unit + "}\n", .headers = {}, .target = {arch, false}});
}

/// "id: why" for each entry that ptxas rejects.
std::vector<std::string> refused(Entries entries, const Arch& arch) {
  if (entries.empty()) return {};
  const Compilation done = assemble(entries, arch);
  if (done.status == Compilation::Status::Done) return {};
  if (entries.size() == 1) {
    return {fmt::format("{}: {}", entries[0]->id, compile_error(done).text)};
  }
  std::vector<std::string> all = refused(entries.first(entries.size() / 2), arch);
  for (std::string& one : refused(entries.subspan(entries.size() / 2), arch)) all.push_back(std::move(one));
  return all;
}

std::vector<const CatalogueEntry*> entries_for(const Catalogue& catalogue, const Arch& arch) {
  std::vector<const CatalogueEntry*> entries;
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (has(arch, entry.needs)) entries.push_back(&entry);
  }
  return entries;
}

class CatalogueOn : public ::testing::TestWithParam<Arch> {};

TEST_P(CatalogueOn, EveryInstructionAssembles) {
  // In a single kernel thousands of registers would be live; each of many small kernels would cost a compilation.
  constexpr std::size_t batch = 256;
  const Expected<Catalogue> catalogue = load_catalogue(embedded_configs());
  ASSERT_TRUE(catalogue) << catalogue.error().message();
  const std::vector<const CatalogueEntry*> entries = entries_for(*catalogue, GetParam());
  ASSERT_GT(entries.size(), 2000U);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < entries.size(); i += batch) {
    const std::size_t size = std::min(batch, entries.size() - i);
    for (std::string& one : refused(Entries(entries).subspan(i, size), GetParam())) all.push_back(std::move(one));
  }
  EXPECT_THAT(all, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Archs, CatalogueOn, ::testing::ValuesIn(verified_archs()),
                         [](const auto& test) { return to_string(test.param); });

TEST(Catalogue, WhatDoesNotAssembleIsFoundAmongWhatDoes) {
  const auto catalogue =
      load_catalogue({{"instructions/opcodes.yaml", embedded_configs().at("instructions/opcodes.yaml")},
                      {"instructions/f.yaml",
                       "family: f\ninstructions:\n"
                       "  - {ptx: \"neg.{type} {d}, {a}\", type: [s16, s32, s64]}\n"
                       "  - {ptx: \"add{round}.f32x2 {d}, {a}, {b}\", round: [.rn, .rz]}\n"
                       "  - {ptx: \"mov.u32 {d}, %laneid\"}\n"}});
  ASSERT_TRUE(catalogue) << catalogue.error().message();
  const std::vector<const CatalogueEntry*> entries = entries_for(*catalogue, {80, false});
  EXPECT_THAT(refused(entries, {100, true}), IsEmpty());
  EXPECT_THAT(refused(entries, {80, false}), ElementsAre(HasSubstr("f/add.rn.f32x2: "), HasSubstr("f/add.rz.f32x2: ")))
      << "f32x2 is sm_100 and later";
}

}  // namespace
}  // namespace warpclock
