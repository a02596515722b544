#include <algorithm>

#include "base/files/embedded.hpp"
#include "base/files/packed_file.hpp"
#include "base/testing/matchers.hpp"
#include "compile/testing/probes.hpp"
#include "measure/counting.hpp"
#include "ptx/catalogue/catalogue.hpp"
#include "ptx/testing/described.hpp"
#include "record/instructions/instruction_assemble.hpp"
#include "record/json/record_json.hpp"

// Compares counters from an H200 with the code of the counted kernels, which is compiled again here.

namespace warpclock {
namespace {

/// Rows of the committed table that have counters and consist of one such instruction.
std::vector<Row> rows_of(const Record& table, const std::string& opcode) {
  std::vector<Row> rows;
  for (const Row& row : table.rows) {
    const bool is_one = row.instruction.became.size() == 1 && row.instruction.became.front().starts_with(opcode);
    if (is_one && !row.counters.empty()) rows.push_back(row);
  }
  return rows;
}

/// The pipes and instructions per copy that add_counters() derives from the counters in the row.
std::vector<std::string> pipes_of(const Row& row, const CompiledInstruction& compiled) {
  const Trial* const trial = counted_trial(compiled);
  if (!trial) return {};
  CopyCounters counters;
  counters.copies = 1;
  counters.larger = row.counters;
  for (const auto& [name, value] : row.counters) counters.smaller[name] = 0;
  counters.others = other_pipes(*trial, compiled.expansion, further_copies(*trial, Launch{}.warmups + 1));
  Row fresh;
  add_counters(counters, fresh);
  return fresh.pipes;
}

void expect_pipe(const std::string& opcode, std::size_t rows_there, const std::string& pipe) {
  const std::string path = WARPCLOCK_SOURCE_DIR "/reports/nvidia-h200/instructions.json";
  const Record table = must(parse_record(must(read_packed_file(path)), path, {{RecordFile::Instructions}}));
  const Catalogue catalogue = load_catalogue(embedded_configs()).value();
  const std::vector<Row> rows = rows_of(table, opcode);
  EXPECT_THAT(rows, SizeIs(rows_there));
  std::vector<const PtxInstruction*> instructions;
  for (const Row& row : rows) {
    const auto entry = std::ranges::find(catalogue.entries, row.id, &CatalogueEntry::id);
    ASSERT_NE(entry, catalogue.entries.end()) << row.id;
    instructions.push_back(&entry->instruction);
  }
  const testing::TemporaryFolder cache;
  CompileInstructionOptions options;
  options.build.cache_dir = cache.path();
  const std::vector<CompiledInstruction> compiled =
      compile_instructions(instructions, testing::arch("sm_90a"), options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_THAT(pipes_of(rows[i], compiled[i]), ElementsAre(pipe)) << rows[i].id;
  }
}

TEST(CommittedPipes, FusedMultiplyAddsAreOnTheirOwn) { expect_pipe("FFMA", 33, "fma"); }

TEST(CommittedPipes, MatrixLoadsAreOnThatOfLoads) { expect_pipe("LDSM", 6, "lsu"); }

}  // namespace
}  // namespace warpclock
