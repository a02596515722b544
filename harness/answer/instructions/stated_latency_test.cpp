#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "answer/instructions/instruction_cells.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "plan/testing/corpus.hpp"
#include "ptx/catalogue/guide.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

void each_committed_table(const std::function<void(const Record&)>& check) {
  std::size_t read = 0;
  for (const auto& folder : std::filesystem::directory_iterator(WARPCLOCK_SOURCE_DIR "/reports")) {
    const auto file = folder.path() / "instructions.json.gz";
    if (!std::filesystem::exists(file)) continue;
    check(must(read_record(file, {{RecordFile::Instructions}})));
    ++read;
  }
  EXPECT_GE(read, 2U);
}

TEST(StatedLatency, NoIntervalOfACommittedRowExcludesItsValue) {
  each_committed_table([](const Record& table) {
    for (const Row& row : table.rows) {
      for (const Estimate& one : row.estimates) {
        const double digits = 1e-4 * std::abs(one.value);
        EXPECT_TRUE(one.low <= one.value + digits && one.value <= one.high + digits) << row.id << " " << one.name;
      }
    }
  });
}

/// A fixed latency of a window of its own is the whole number that is encoded, or the row says why it is not. A form's
/// is what the hardware needs, which may be less (Agreement.OfAPtxInstructionAndItsMachineInstructionIsExact).
TEST(StatedLatency, TheIntervalOfACommittedRowHoldsWhatIsEncodedOrTheRowSaysWhyNot) {
  each_committed_table([](const Record& table) {
    std::size_t compared = 0;
    for (const Row& row : table.rows) {
      for (const OperandLatency& one : latencies(row)) {
        if (one.encoded == nullptr || !row.forms.empty()) continue;
        ++compared;
        constexpr double digits = 1e-3;
        const double encoded = one.encoded->value;
        const bool in = encoded >= one.measured->low - digits && encoded <= one.measured->high + digits;
        const bool whole = std::abs(encoded - std::round(encoded)) < digits;
        const bool always = one.measured->high - one.measured->low < 0.5;
        if (in && whole && always) {
          EXPECT_NEAR(one.measured->value, encoded, digits) << row.id;
        }
        const bool said = std::ranges::any_of(
            row.instruction.findings, [&](const std::string& text) { return text.contains(one.measured->name); });
        EXPECT_TRUE(in || said) << row.id << " " << one.measured->name;
      }
    }
    EXPECT_GT(compared, 900U);
  });
}

TEST(StatedLatency, TheGuideIsHeldAgainstThePlainForm) {
  const std::string file = WARPCLOCK_SOURCE_DIR "/configs/instructions/guide.yaml";
  const Guide guide = must(parse_guide(file, corpus::read(file)));
  each_committed_table([&](const Record& table) {
    const GuideComparison found = compare_with_guide(guide, table);
    for (const GuideRow& row : guide.rows) {
      for (const GuideAsk& ask : row.asks) {
        const auto plain = std::ranges::find(table.rows, ask.ids.front(), &Row::id);
        if (plain == table.rows.end() || published(*plain, "throughput") == nullptr) continue;
        const auto line = std::ranges::find_if(
            found.lines, [&](const GuideLine& one) { return one.row == row.name && one.operation == ask.operation; });
        ASSERT_NE(line, found.lines.end());
        EXPECT_EQ(line->id, ask.ids.front());
        EXPECT_EQ(line->measured, published(*plain, "throughput")->value * ask.results);
      }
    }
    const auto double_fma = std::ranges::find(found.lines, "fp64/fma.rn.f64", &GuideLine::id);
    ASSERT_NE(double_fma, found.lines.end());
  });
}

}  // namespace
}  // namespace warpclock
