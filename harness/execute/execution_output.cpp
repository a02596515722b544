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

std::string cell(const std::optional<double>& value) { return value ? human_number(*value, 4) : std::string(); }

}  // namespace

std::string execution_text(const Execution& one, const Style& style) {
  std::string text = fmt::format("{}\n", style.bold(one.readable));
  text += fmt::format("    launch    {} blocks of {} threads: {}\n", extents(one.grid), extents(one.block),
                      blocks_text(one));
  text += fmt::format("    executed  {} warp instructions\n", one.warp_instructions);
  if (one.copied_bytes > 0) text += fmt::format("    copied    {} bytes by bulk copies\n", one.copied_bytes);
  for (const ExecutedLoop& loop : one.loops)
    text += fmt::format("    loop {:<4} {} to {}: {}\n", loop.id, address_text(loop.begin), address_text(loop.end),
                        loop.entries == 0 ? std::string("never entered")
                                          : fmt::format("{} trips, entered by {}", human_number(loop.trips, 6),
                                                        counted(loop.entries, "warp")));
  text += fmt::format("    {:<8}{:>12}{:>7}{:>10}{:>12}  {}\n", "address", "executed", "lanes", "sectors", "wavefronts",
                      "instruction");
  for (const ExecutedInstruction& each : one.instructions) {
    // Behind the last jump, the code is filled up.
    if (each.executed == 0 && each.text == "NOP") continue;
    text += fmt::format("    {:<8}{:>12}{:>7}{:>10}{:>12}  {}\n", address_text(each.address), each.executed,
                        each.executed == 0 ? std::string() : human_number(each.lanes, 3), cell(each.sectors),
                        cell(each.wavefronts), each.text);
  }
  return text;
}

std::string to_json(const std::vector<Execution>& executions) {
  return record_text(execution_version(), execution_record, JsonWriter::write(Executions{executions}));
}

std::string execution_schema() {
  return record_schema_text("warpclock execution", {{"const", execution_version()}}, execution_record,
                            JsonSchema::of<Executions>());
}

}  // namespace warpclock
