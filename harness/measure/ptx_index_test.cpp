#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "base/files/embedded.hpp"
#include "base/files/file.hpp"
#include "base/testing/files.hpp"
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
  std::size_t rows = 0;               ///< of the catalogue
  std::vector<std::string> families;  ///< in which these are
  bool probed = false;                ///< the probe exists and its code has the title
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
  for (const CatalogueEntry& entry : catalogue.entries) {
    if (!fits(entry.instruction.mnemonic, title.pattern)) continue;
    ++found.rows;
    if (std::ranges::find(found.families, entry.family) == found.families.end()) found.families.push_back(entry.family);
  }
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
    const bool measured = found.rows > 0 || found.probed;
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

/// Appends `name` to the names of `key`, in the order in which keys came.
void add_name(std::vector<std::pair<std::string, std::vector<std::string>>>& groups, const std::string& key,
              const std::string& name) {
  const auto at = std::ranges::find(groups, key, &std::pair<std::string, std::vector<std::string>>::first);
  if (at == groups.end()) {
    groups.push_back({key, {name}});
  } else {
    at->second.push_back(name);
  }
}

/// An item of a Markdown list, in lines of at most 120 columns.
std::string list_item(const std::string& text) {
  constexpr std::size_t most_columns = 120;
  std::string out = "-";
  std::size_t used = out.size();
  for (const std::string& word : split(text, ' ')) {
    const bool fits = used + 1 + word.size() <= most_columns;
    out += fits ? " " : "\n  ";
    used = (fits ? used + 1 : 2) + word.size();
    out += word;
  }
  return out + "\n";
}

/// The line of a section: how many of its instructions have rows of the catalogue, and in which families.
std::string section_line(std::span<const Title> titles) {
  std::size_t instructions = 0, rows = 0;
  std::vector<std::string> families;
  for (const Title& title : titles) {
    const Found found = find_title(title, committed_catalogue(), committed_inputs());
    instructions += found.rows > 0 ? 1 : 0, rows += found.rows;
    for (const std::string& family : found.families)
      if (std::ranges::find(families, family) == families.end()) families.push_back(family);
  }
  std::ranges::sort(families);
  const std::string& section = titles.front().section;
  return fmt::format("| {} | {} of {} | {} | {} |\n", section.substr(0, section.rfind(" Instructions")), instructions,
                     titles.size(), rows, join(families, ", "));
}

/// Expects docs/ptx.md to follow from the index. WARPCLOCK_ACCEPT=1 in the environment writes the file.
TEST(PtxIndex, IsInTheDocumentation) {
  std::string text =
      "# The PTX ISA, instruction by instruction\n\n"
      "Each title of the index of the PTX ISA 9.0, that of CUDA 13.0, is an instruction in the catalogue, is measured "
      "by\n"
      "a probe, or is not measured for a reason. `warpclock cycles NAME` answers for one, `warpclock catalogue --list\n"
      "FAMILY/` lists rows, `warpclock show PROBE` those of a probe. What an H100 and an H200 lack is not yet "
      "measured.\n"
      "`measure_test` writes this file from `harness/measure/testdata/ptx_index.txt`.\n\n"
      "| section | in the catalogue | rows | families |\n|---|---:|---:|---|\n";
  const std::vector<Title>& all = committed_index();
  std::vector<std::pair<std::string, std::vector<std::string>>> probes, reasons;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const Title& title) { return title.section != begin->section; });
    text += section_line({begin, end});
    begin = end;
  }
  for (const Title& title : all) {
    const Found found = find_title(title, committed_catalogue(), committed_inputs());
    if (found.probed) add_name(probes, title.probe, fmt::format("`{}`", title.text));
    if (found.rows == 0 && !found.probed) add_name(reasons, title.why, fmt::format("`{}`", title.text));
  }
  text += "\n## By probes\n\n";
  for (const auto& [probe, names] : probes) text += list_item(fmt::format("`{}`: {}", probe, join(names, ", ")));
  text += "\n## Not measured\n\n";
  for (const auto& [why, names] : reasons) text += list_item(fmt::format("{}: {}", join(names, ", "), why));
  if (std::getenv("WARPCLOCK_ACCEPT") != nullptr) testing::write(WARPCLOCK_SOURCE_DIR "/docs/ptx.md", text);
  EXPECT_EQ(must(read_file(WARPCLOCK_SOURCE_DIR "/docs/ptx.md")), text) << "WARPCLOCK_ACCEPT=1 measure_test writes it";
}

}  // namespace
}  // namespace warpclock
