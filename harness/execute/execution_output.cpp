#include <fmt/format.h>

#include <string>

#include "base/json/json_schema.hpp"
#include "base/json/json_writer.hpp"
#include "base/text.hpp"
#include "execute/execution.hpp"
#include "inspect/inspection_output.hpp"

namespace warpclock {

void describe(auto& a, Like<ExecutedInstruction> auto& v) {
  WARPCLOCK_REQUIRED(address, text);
  WARPCLOCK_OPTIONAL(line);
  WARPCLOCK_REQUIRED(executed, lanes);
  WARPCLOCK_OPTIONAL(accesses, access_lanes, sectors, wavefronts);
}

void describe(auto& a, Like<ExecutedLoop> auto& v) { WARPCLOCK_REQUIRED(id, begin, end, entries, trips); }

void describe(auto& a, Like<Execution> auto& v) {
  WARPCLOCK_REQUIRED(file, kernel, readable, arch, grid, block, shared_bytes, blocks, executed_blocks, same_path);
  WARPCLOCK_REQUIRED(warp_instructions);
  WARPCLOCK_OPTIONAL(copied_bytes);
  WARPCLOCK_REQUIRED(loops, instructions);
}

/// What `execute --json` prints.
struct Executions {
  std::vector<Execution> kernels;
};

void describe(auto& a, Like<Executions> auto& v) { WARPCLOCK_REQUIRED(kernels); }

namespace {

constexpr const char* execution_record = "execute";

Json execution_version() { return {{"major", 1}, {"minor", 0}, {"patch", 0}}; }

std::string extents(const std::vector<std::int64_t>& of) {
  if (of[1] == 1 && of[2] == 1) return std::to_string(of[0]);
  return of[2] == 1 ? fmt::format("{} x {}", of[0], of[1]) : fmt::format("{} x {} x {}", of[0], of[1], of[2]);
}

std::string blocks_text(const Execution& one) {
  if (one.executed_blocks == one.blocks) return "all were executed";
  return fmt::format("{} executed, {}", one.executed_blocks,
                     one.same_path
                         ? "and the others take the same ways"
                         : "and others may take other ways, as the index of the block or memory decides them");
}

std::string loop_text(const ExecutedLoop& loop) {
  return fmt::format("{} to {}: {}", address_text(loop.begin), address_text(loop.end),
                     loop.entries == 0 ? std::string("never entered")
                                       : fmt::format("{} trips, entered by {}", human_number(loop.trips, 6),
                                                     counted(loop.entries, "warp")));
}

std::string cell(const std::optional<double>& value) { return value ? human_number(*value, 4) : std::string(); }

}  // namespace

Sheet execution_sheet(const Execution& one) {
  Sheet sheet{.title = one.readable};
  sheet.facts = {{"launch", "",
                  fmt::format("{} blocks of {} threads: {}", extents(one.grid), extents(one.block), blocks_text(one))},
                 {"executed", "", fmt::format("{} warp instructions", one.warp_instructions)},
                 {"copied", "", one.copied_bytes > 0 ? fmt::format("{} bytes by bulk copies", one.copied_bytes) : ""}};
  for (const ExecutedLoop& loop : one.loops)
    sheet.facts.push_back({fmt::format("loop {}", loop.id), "", loop_text(loop)});
  Table table{.key = "instructions",
              .columns = columns({"address", "#executed", "#lanes", "#sectors", "#wavefronts", "instruction"})};
  for (const ExecutedInstruction& each : one.instructions) {
    // Behind the last jump, the code is filled up.
    if (each.executed == 0 && each.text == "NOP") continue;
    table.rows.push_back({address_text(each.address), std::to_string(each.executed),
                          each.executed == 0 ? "" : human_number(each.lanes, 3), cell(each.sectors),
                          cell(each.wavefronts), each.text});
  }
  sheet.tables = {std::move(table)};
  return sheet;
}

std::string to_json(const std::vector<Execution>& executions) {
  return record_text(execution_version(), execution_record, JsonWriter::write(Executions{executions}));
}

std::string execution_schema() {
  return record_schema_text("warpclock execution", {{"const", execution_version()}}, execution_record,
                            JsonSchema::of<Executions>());
}

}  // namespace warpclock
