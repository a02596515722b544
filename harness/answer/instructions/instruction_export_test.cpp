#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "answer/words/page_words.hpp"
#include "base/files/marked.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "record/testing/golden.hpp"
#include "record/testing/instructions.hpp"
#include "record/testing/xml_check.hpp"

namespace warpclock {
namespace {

/// Reads RFC 4180 back: records of fields, or none if the text breaks its rules.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& field = records.back().back();
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (text.substr(i + 1, 1) == "\"") {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      if (!field.empty()) return {};
      quoted = true;
    } else if (c == ',') {
      records.back().emplace_back();
    } else if (c == '\r' && text.substr(i + 1, 1) == "\n") {
      ++i;
      records.emplace_back(1);
    } else if (c == '\r' || c == '\n') {
      return {};
    } else {
      field += c;
    }
  }
  if (quoted || records.back() != std::vector<std::string>(1)) return {};
  records.pop_back();
  return records;
}

/// A table in which every text is replaced by one that breaks out of any place where it is not escaped.
Record hostile_table(const std::string& poison) {
  Record table = testing::example_instructions();
  table.device.name = table.device.arch = table.device.chip = poison;
  table.provenance.commit = table.provenance.toolkit = table.provenance.version = poison;
  for (Row& row : table.rows) {
    row.id += poison, row.family = row.instruction.types = row.arch = row.instruction.section = poison;
    row.ptx += poison;
    row.reason = {poison, poison, poison};
    row.instruction.became.push_back(poison), row.instruction.labels.push_back(poison), row.pipes.push_back(poison);
    row.instruction.findings.push_back(poison);
    for (Estimate& e : row.estimates) {
      if (e.name.starts_with("latency.")) e.name += poison;
    }
    for (InstructionRun& run : row.instruction.runs) run.via.emplace_back(poison, 1);
  }
  return table;
}

const std::vector<std::string> poisons = {"<script>alert(1)</script>", "\"><img src=x>", "' a='",   "&lt;&", "]]>-->",
                                          "\x01\x1b\r\xff\xc0",        "{0} {} %s",      "a,b\r\nc"};

TEST(InstructionCells, GroupsWhatIsEqual) {
  const Record table = testing::example_instructions();
  EXPECT_EQ(latency_list(table.rows[2]), "a=4.0 b=4.0 c=6.0");
  EXPECT_EQ(latency_groups(table.rows[2]), "a b 4.0, c 6.0");
  EXPECT_EQ(encoded_list(table.rows[2]), "a=4 b=4 c=6");
  EXPECT_EQ(opcode_groups({"A", "A", "B", "A"}, "x"), "A x2, B, A");
  EXPECT_EQ(opcode_groups({}, "x"), "");
}

TEST(InstructionCells, NamesOpcodesBetweenWhichCopiesAlternate) {
  Row row = testing::example_instructions().rows[0];
  ASSERT_EQ(row.instruction.runs[0].measure, "latency.a");
  row.instruction.became = {"HFMA2.MMA"};
  const auto named = [&](std::vector<std::pair<std::string, int>> opcodes) {
    row.instruction.runs[0].opcodes = std::move(opcodes);
    return labels_of(row);
  };
  EXPECT_THAT(named({{"HFMA2", 3}, {"HFMA2.MMA", 3}, {"LOP3.LUT", 3}}), ElementsAre("alternates with HFMA2"));
  EXPECT_THAT(named({{"HFMA2", 1}, {"HFMA2.MMA", 5}}), ElementsAre()) << "one more belongs to the compiler";
  EXPECT_THAT(named({{"FFMA", 3}, {"HFMA2.MMA", 3}}), ElementsAre()) << "another operation";
  row.instruction.runs[0].via = {{"HFMA2", 4}};
  EXPECT_THAT(named({{"HFMA2", 3}, {"HFMA2.MMA", 3}}), ElementsAre()) << "it links the copies";
  row.instruction.runs[0].via.clear();
  row.instruction.labels = {"alternates with HFMA2"};
  EXPECT_THAT(named({{"HFMA2", 3}, {"HFMA2.MMA", 3}}), ElementsAre("alternates with HFMA2")) << "once";
}

TEST(InstructionCells, CountsTheMultiplyAddsOfAProduct) {
  Row row = testing::example_instructions().rows[0];
  row.estimates = {{"throughput", 64.0 / 3, 64.0 / 3, 64.0 / 3, "1/clk/SM", "rate", 9, "8 warps x 4"}};
  const auto of = [&](const std::string& ptx) {
    row.ptx = ptx;
    return multiply_adds(row);
  };
  ASSERT_TRUE(of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}"));
  EXPECT_NEAR(*multiply_adds(row), 1365.3, 0.1);
  ASSERT_TRUE(of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d}, {a}, {b}, {c}"));
  EXPECT_NEAR(*multiply_adds(row), 170.7, 0.1);
  EXPECT_FALSE(of("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}"));
  EXPECT_FALSE(of("wmma.load.a.sync.aligned.row.m16n16k16.f16 {d}, [{a}]"));
  EXPECT_FALSE(of("fma.rn.f32 {d}, {a}, {b}, {c}"));
  row.outcome = Outcome::Rejected;
  EXPECT_FALSE(of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c}"));
}

TEST(InstructionCells, RoundsAsThePagesScriptDoes) {
  Record table = testing::example_instructions();
  Row& row = table.rows[2];
  const auto shown = [&](double cycles) {
    for (Estimate& estimate : row.estimates) {
      if (estimate.name == "latency.a") estimate.value = cycles;
    }
    return latency_list(row).substr(0, latency_list(row).find(' '));
  };
  EXPECT_EQ(shown(39.25), "a=39.3") << "39.2 is as near, and printf's";
  EXPECT_EQ(shown(39.75), "a=39.8");
  EXPECT_EQ(shown(12.45), "a=12.4") << "the double is a little less";
  EXPECT_EQ(shown(4), "a=4.0");
}

TEST(InstructionCells, FindsPlaceholdersAndNothingElseInBraces) {
  EXPECT_EQ(plain_ptx("ld.v2.u32 {{d}, {e}}, [{a}+4]"), "ld.v2.u32 {d, e}, [a+4]");
  EXPECT_THAT(placeholders("x {d}, {{a}, {b}}, {a}, {"), ElementsAre("d", "a", "b"));
  EXPECT_EQ(plain_ptx("x {} {d"), "x {} {d");
}

TEST(InstructionCells, NamesTheWindowOfARate) {
  const Record table = testing::example_instructions();
  EXPECT_EQ(rate_window(table.rows[0]), "");
  EXPECT_EQ(rate_window(table.rows[2]), "composed");
  EXPECT_EQ(rate_window(table.rows[3]), "composed");
  EXPECT_EQ(rate_window(table.rows[5]), "");
  Row row = table.rows[2];
  row.instruction.runs.back().verdict = "folded";
  EXPECT_EQ(rate_window(row), "");
}

TEST(InstructionCells, PublishesNothingOfARowThatIsNotMeasured) {
  Row row = testing::example_instructions().rows[0];
  EXPECT_NE(published(row, "throughput"), nullptr);
  row.outcome = Outcome::Rejected;
  EXPECT_EQ(published(row, "throughput"), nullptr);
  EXPECT_EQ(latency_list(row), "");
}

TEST(InstructionCsv, IsTheAcceptedText) {
  testing::expect_golden("instructions.csv", render_instruction_csv(testing::example_instructions()), "answer");
}

TEST(InstructionCsv, EveryRecordHasTheHeadersFields) {
  for (const std::string& poison : poisons) {
    const Record table = hostile_table(poison);
    const auto records = parse_csv(render_instruction_csv(table));
    ASSERT_EQ(records.size(), table.rows.size() + 1) << poison;
    for (const auto& record : records) EXPECT_EQ(record.size(), records[0].size()) << poison;
    for (std::size_t i = 0; i < table.rows.size(); ++i) EXPECT_EQ(records[i + 1][2], table.rows[i].ptx);
  }
}

TEST(InstructionXml, IsTheAcceptedText) {
  const std::vector<Record> tables(2, testing::example_instructions());
  testing::expect_golden("instructions.xml", render_instruction_xml(tables), "answer");
}

TEST(InstructionXml, IsWellFormedWhateverTheTexts) {
  EXPECT_EQ(testing::xml_error(render_instruction_xml({})), "");
  for (const std::string& poison : poisons) {
    const std::vector<Record> tables = {hostile_table(poison)};
    EXPECT_EQ(testing::xml_error(render_instruction_xml(tables)), "") << poison;
  }
}

TEST(InstructionExport, MayReplaceAnEarlierOne) {
  const Record table = testing::example_instructions();
  EXPECT_TRUE(is_marked(render_instruction_csv(table)));
  EXPECT_TRUE(is_marked(render_instruction_xml(std::span(&table, 1))));
}

TEST(InstructionWords, AreTheCellsOfEachRow) {
  testing::expect_golden(
      "instruction_words.json",
      instruction_words(testing::example_instructions(), testing::example_instructions()).dump(1) + "\n", "answer");
}

}  // namespace
}  // namespace warpclock
