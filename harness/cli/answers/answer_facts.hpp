#pragma once

#include <string>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "base/sheet/sheet.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {

/// The title "foo.s32 %r1: refused (unknown opcode 'foo')", and for programs the line and its number in standard input.
[[nodiscard]] Sheet asked_sheet(const AskedLine& asked, const std::string& says);
/// The same with "29.0 cycles (H200, measured 2026-11-28)", whose parts are for programs too.
[[nodiscard]] Sheet answer_sheet(const AskedLine& asked, const std::string& answer, const std::string& by);

void add(Sheet& sheet, const std::vector<Fact>& facts);
[[nodiscard]] Fact for_people(const std::string& label, const std::string& text, Tone tone = Tone::Plain);
[[nodiscard]] Fact for_programs(const std::string& key, Json value);
/// A line each.
[[nodiscard]] Fact listed(const std::string& key, const std::string& label, const std::vector<std::string>& all,
                          Tone tone = Tone::Plain);

/// The PTX that was taken, if that is not what was asked, or the row's without a subject; and the operands that were
/// replaced by a constant.
[[nodiscard]] std::vector<Fact> ptx_facts(const AskedLine& asked, const Subject* subject, const InstructionRecord& row);

/// "  [28.90, 29.10]", or nothing if that is narrow.
[[nodiscard]] std::string interval_of(const Estimate& estimate);

/// All estimates but throughput, issue interval and issue.
[[nodiscard]] std::vector<Fact> number_facts(const InstructionRecord& row);

/// What a row has besides its latencies: which operands have none and why (without a subject nothing is said of that),
/// rates of `counted`, estimates, machine code, and what was noticed. `ran`: who reads its pipes and its clock.
[[nodiscard]] std::vector<Fact> row_facts(const InstructionRecord& row, const Subject* subject,
                                          const std::string& counted, Audience ran);

/// Which numbers of a row are no comparison with that of the GPU that answered before, see of_other_code(). None if all
/// are.
[[nodiscard]] std::vector<Fact> not_compared(const TabledRow& row, const TabledRow& before);

}  // namespace warpclock
