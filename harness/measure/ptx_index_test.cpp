#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/embedded.hpp"
#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "compile/compiler/compiler.hpp"
#include "measure/inputs.hpp"
#include "ptx/catalogue/catalogue.hpp"

// Every instruction of the PTX manual's index is in the catalogue, measured by a probe, or left out for a reason.

namespace warpclock {
namespace {

constexpr const char* index_file = "harness/measure/testdata/ptx_index.txt";

struct Title {
  std::string section, text, pattern, probe, why;
};

/// The part of `line` behind `mark`, which is cut off.
std::string cut(std::string& line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == std::string::npos) return "";
  const std::string behind = line.substr(at + mark.size());
  line.resize(at);
  return behind;
}

std::vector<Title> read_index(const std::string& text) {
  std::vector<Title> all;
  std::string section;
  for (std::string line : split(text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.ends_with(" Instructions")) {
      section = line;
      continue;
    }
    Title title{.section = section};
    title.why = cut(line, " ! ");
    title.probe = cut(line, " @ ");
    title.pattern = cut(line, " = ");
    title.text = line;
    if (title.pattern.empty()) title.pattern = join(split(line, '.'), " ");
    all.push_back(title);
  }
  return all;
}

struct Found {
  bool listed = false;  ///< in the catalogue
  bool probed = false;  ///< the probe exists and its code has the title
};

/// Whether the mnemonic is of that opcode and has, of each further word, one of its alternatives among its modifiers.
bool fits(const std::string& mnemonic, const std::string& pattern) {
  const auto words = split(mnemonic, '.'), wanted = split(pattern, ' ');
  if (words.front() != wanted.front()) return false;
  return std::all_of(wanted.begin() + 1, wanted.end(), [&](const std::string& one_of) {
    return std::ranges::any_of(split(one_of, '|'), [&](const std::string& word) {
      return std::find(words.begin() + 1, words.end(), word) != words.end();
    });
  });
}

/// Whether the code of the probe, with what it includes, has the first two words of the title.
bool probes(const std::string& name, const std::string& title, const Inputs& inputs) {
  const auto probe =
      std::ranges::find_if(inputs.suite.probes, [&](const Probe& one) { return one.family + "/" + one.name == name; });
  if (probe == inputs.suite.probes.end()) return false;
  const auto words = split(title, '.');
  const std::string start = words.size() == 1 ? words.front() : words[0] + "." + words[1];
  return std::ranges::any_of(must(included_sources(probe->kernel, inputs.sources)),
                             [&](const std::string& path) { return inputs.sources.at(path).contains(start); });
}

Found find_title(const Title& title, const Catalogue& catalogue, const Inputs& inputs) {
  Found found;
  found.listed = std::ranges::any_of(
      catalogue.entries, [&](const CatalogueEntry& entry) { return fits(entry.instruction.mnemonic, title.pattern); });
  found.probed = !title.probe.empty() && probes(title.probe, title.text, inputs);
  return found;
}

const Inputs& committed_inputs() {
  static const Inputs inputs = must(load_inputs({}));
  return inputs;
}
const Catalogue& committed_catalogue() {
  static const Catalogue catalogue = must(load_catalogue(embedded_configs()));
  return catalogue;
}
const std::vector<Title>& committed_index() {
  static const std::vector<Title> index =
      read_index(must(read_file(WARPCLOCK_SOURCE_DIR "/" + std::string(index_file))));
  return index;
}

TEST(PtxIndex, EveryInstructionIsMeasuredOrHasAReason) {
  std::size_t unexplained = 0;
  for (const Title& title : committed_index()) {
    const Found found = find_title(title, committed_catalogue(), committed_inputs());
    const bool measured = found.listed || found.probed;
    unexplained += !measured && title.why.empty();
    EXPECT_TRUE(measured || !title.why.empty()) << title.section << ": " << title.text;
    EXPECT_FALSE(measured && !title.why.empty()) << title.text << " is measured: its reason is no longer needed";
    EXPECT_EQ(found.probed, !title.probe.empty()) << title.text << ": no code of " << title.probe << " has it";
  }
  EXPECT_EQ(unexplained, 0U);
  EXPECT_GT(committed_index().size(), 200U);
}

TEST(PtxIndex, HasEveryOpcodeOfTheTable) {
  for (const std::string& opcode :
       must(load_opcodes("opcodes.yaml", embedded_configs().at("instructions/opcodes.yaml"))).opcodes()) {
    const bool there = std::ranges::any_of(committed_index(), [&](const Title& title) {
      return split(title.text, '.').front() == opcode || split(title.pattern, ' ').front() == opcode;
    });
    EXPECT_TRUE(there || opcode == "brx") << opcode;
  }
}

TEST(PtxIndex, IsThatOfTheToolkit) {
  if (ptx_isa_version() != "9.0")
    GTEST_SKIP() << "the index is that of PTX ISA 9.0, and NVRTC here has " << ptx_isa_version();
  EXPECT_TRUE(must(read_file(WARPCLOCK_SOURCE_DIR "/" + std::string(index_file))).contains("PTX ISA 9.0"));
}

}  // namespace
}  // namespace warpclock
