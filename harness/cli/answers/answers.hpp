#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/instructions/instruction_cells.hpp"
#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "base/terminal.hpp"
#include "cli/options/options.hpp"
#include "measure/measure_instructions.hpp"
#include "ptx/catalogue/spelling.hpp"
#include "ptx/instruction.hpp"
#include "ptx/opcodes.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What a person asked: a line, or the name of a file with a block.
struct AskedLine {
  std::string text;
  int number = 0;           ///< in standard input, from 1; 0 for an argument
  std::string code = text;  ///< the instruction alone, as PTX or nvdisasm write it
  bool machine = false;     ///< a machine instruction
};

/// How lines are read.
enum class Notation { Any, Machine };

/// The instructions of one line of a listing or a source: without address, encoding, comments and quotes. Usually one;
/// a string of `asm` may hold several, and an empty line none. Operands %0, %1 of such a string become registers of the
/// types that their constraints state, and a number behind "n" becomes a constant. A word in upper case is a machine
/// instruction.
[[nodiscard]] std::vector<AskedLine> asked_in(const std::string& line, int number, Notation notation = Notation::Any);

/// The line as the head of its answer: short, without control bytes and semicolon.
[[nodiscard]] std::string title_of(const AskedLine& asked);

/// The error with the number of the line in its place.
[[nodiscard]] Error error_in(const AskedLine& asked, Error error);

/// "1:1: unknown opcode 'foo'", and below it the line.
[[nodiscard]] Error with_line(const AskedLine& asked, const Error& error);

/// A compiled instruction or block on one architecture. `gpu` is the name of the GPU that ran it, or empty.
struct CompiledAnswer {
  const Subject& subject;
  const MeasuredInstruction& found;
  std::string gpu;
};

/// "4 cycles", "a b 4, c variable cycles", "rejected: folded": measured, or encoded if nothing ran.
[[nodiscard]] std::string headline(const MeasuredInstruction& found);

/// Whether each experiment has a verified window. An architecture that lacks the instruction has none to verify.
[[nodiscard]] bool all_verified(const MeasuredInstruction& found);
/// Whether the architecture lacks the instruction.
[[nodiscard]] bool is_lacking(const MeasuredInstruction& found);

/// "fma.rn.f32 {d}, {a}, {b}, {c}: 4 cycles (sm_90a, encoded)", and below it what that is made of.
[[nodiscard]] Sheet compiled_sheet(const AskedLine& asked, const CompiledAnswer& answer);
/// The windows of its experiments.
[[nodiscard]] std::string windows_text(const MeasuredInstruction& found, const Style& style);

/// "linked by SEL: 4 cycles subtracted", of instructions that link copies and their encoded cycles.
[[nodiscard]] std::string links_in_words(const std::vector<std::pair<std::string, double>>& via);

/// What a rate counts: "results"; "thread instructions" of an instruction without a result; of a block "threads'
/// blocks", the passes of threads.
[[nodiscard]] std::string counted_as(const PtxInstruction& instruction);
/// The answer to a line that cannot be answered: "refused (unknown opcode 'foo')".
[[nodiscard]] Sheet refused_sheet(const AskedLine& asked, const Error& error, const std::string& how = "refused");
/// The answer to a line that has no number by its nature.
[[nodiscard]] Sheet nature_sheet(const AskedLine& asked, const std::string& nature);

/// The answer to a line about a machine instruction: its row, or why there is none; or several rows that a word means.
struct MachineAnswer {
  AskedLine asked;
  Expected<Row> row;
  std::string by;    ///< "H200, measured 2026-11-23"
  std::string from;  ///< the record that has it, or empty
  std::vector<Row> listed = {};
  std::string of = {}, because = {};      ///< the machine instruction that answers for a line of PTX, and why
  std::vector<std::string> differs = {};  ///< what the line differs from the row in, and why that does not matter
  std::string form = {};                  ///< key of the form of the line, if the row is of a near one
  std::string nature = {};                ///< why it has no number by its nature; there is no row then

  /// Whether it has a number, or says that there is none by nature.
  [[nodiscard]] bool answered() const;
};

/// "FFMA R1, R2, R3, R4: 4.00 cycles (H200, measured 2026-11-23)", and below it the row's numbers and where it is; for
/// programs the row as machine.json has it. Operands are A, B, C, with the registers of the line. For several rows a
/// line each.
[[nodiscard]] Sheet machine_sheet(const MachineAnswer& answer);

/// Whether a word is an opcode of machine code on a verified architecture: "IMAD", "IMAD.WIDE".
[[nodiscard]] bool is_machine_opcode(std::string_view word);

/// The rows with numbers of an opcode, and of the same with more modifiers, the usual one first: fewer modifiers, then
/// more operands that are plain registers.
[[nodiscard]] std::vector<Row> rows_of_opcode(const Record& table, const std::string& opcode);

/// The opcode table that the program carries.
[[nodiscard]] Expected<OpcodeTable> opcode_table();

/// The instruction table of a measured GPU.
struct RecordedTable {
  std::string file;  ///< "reports/nvidia-h200/instructions.json"
  Record table;
};

/// A measured row that answers what was asked.
struct RecordedAnswer {
  const RecordedTable* from = nullptr;
  const Row* row = nullptr;
  std::string because;  ///< why the row answers although more than names of registers differ; else empty
  /// A row made of that of the one machine instruction that the line becomes, where that is, and what differs.
  std::shared_ptr<const Row> made = {};
  std::string made_of = {};
  std::vector<std::string> differs = {};
};

/// The table of the chosen GPU, or, if none is chosen, those of all measured GPUs; none if there are no reports and
/// none is chosen.
[[nodiscard]] Expected<std::vector<RecordedTable>> recorded_tables(const GpuChoice& choice);

/// The measured row of this PTX in each table, without chosen values: of the rows that are spelled like it up to
/// `last`, that which differs least.
[[nodiscard]] std::vector<RecordedAnswer> recorded_answers(const std::vector<RecordedTable>& tables,
                                                           const OpcodeTable& opcodes, const std::string& ptx,
                                                           Spelled last = Spelled::Constants);

/// In each table of that architecture, the row of the same opcode that became the same machine instructions; of
/// several, that whose name is most like it. `same_operands`: only one that has the same kinds of operands, apart from
/// constants and registers in place of each other.
[[nodiscard]] std::vector<RecordedAnswer> recorded_by_code(const std::vector<RecordedTable>& tables,
                                                           const OpcodeTable& opcodes, const std::string& arch,
                                                           const PtxInstruction& instruction,
                                                           const std::vector<std::string>& became, bool same_operands);

/// The measured rows of a table that a short name means.
struct NamedRows {
  const RecordedTable* from = nullptr;
  std::vector<const Row*> rows;     ///< the usual one first
  std::vector<std::string> others;  ///< names of rows that the name also fits
};

/// The rows that a short name means in each table that has any: its parts are parts of the instruction, in this order,
/// as in "ldmatrix.x4". The row of exactly that name is the only one. Otherwise those that the PTX ISA describes in the
/// section of that name, or else all; of each section those with the fewest parts. The usual one comes first: in the
/// section of that name fewer parts, then types of 32 bits before wider before narrower before packed ones, then the
/// order of the catalogue; without such a section the order of the catalogue. None if `name` is not such a name.
[[nodiscard]] std::vector<NamedRows> recorded_by_name(const std::vector<RecordedTable>& tables,
                                                      const std::string& name);

/// "ld.global: 7 rows have this name (H200, measured 2026-11-23)", and below it a line for each.
[[nodiscard]] Sheet named_sheet(const AskedLine& asked, const NamedRows& named, const NamedRows& first);

/// "29.0 cycles", "a b 4.0, c 6.0 cycles"; without a latency "14.0 cycles for one warp, 28.0 for 8", or "one warp
/// instruction every 19.6 cycles".
[[nodiscard]] std::string headline(const Row& row);

/// "ldmatrix.x4: 29.0 cycles (H200, measured 2026-11-23)", and below it the row's numbers and where it is. `subject` is
/// what the line was read as; null for a short name. `others`: names of rows that a short name also fits.
[[nodiscard]] Sheet recorded_sheet(const AskedLine& asked, const RecordedAnswer& answer, const Subject* subject,
                                   const std::vector<std::string>& others = {});

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
[[nodiscard]] std::vector<Fact> ptx_facts(const AskedLine& asked, const Subject* subject, const Row& row);

/// "  [28.90, 29.10]", or nothing if that is narrow.
[[nodiscard]] std::string interval_of(const Estimate& estimate);

/// All estimates but throughput, issue interval and issue.
[[nodiscard]] std::vector<Fact> number_facts(const Row& row);

/// What a row has besides its latencies: which operands have none and why (without a subject nothing is said of that),
/// rates of `counted`, estimates, machine code, and what was noticed. `ran`: who reads its pipes and its clock.
[[nodiscard]] std::vector<Fact> row_facts(const Row& row, const Subject* subject, const std::string& counted,
                                          Audience ran);

/// Which numbers of a row are no comparison with that of the GPU that answered before, see of_other_code(). None if all
/// are.
[[nodiscard]] std::vector<Fact> not_compared(const TabledRow& row, const TabledRow& before);

/// Parses `--operand` and `--value`: "b=imm:3". Error "usage".
[[nodiscard]] Expected<Choices> choices_of(const std::vector<std::string>& operands,
                                           const std::vector<std::string>& values);

/// The instructions of the lines given as arguments; "-" stands for those of standard input, without empty ones and
/// comments.
[[nodiscard]] Expected<std::vector<AskedLine>> lines_of(const std::vector<std::string>& given,
                                                        Notation notation = Notation::Any);

/// One line of PTX.
[[nodiscard]] Expected<Subject> subject_of(const std::string& line, const OpcodeTable& table, const Choices& choices);

/// The whole file as one block. Places in errors begin with its name.
[[nodiscard]] Expected<Subject> subject_in(const std::string& file, const OpcodeTable& table, const Choices& choices);

}  // namespace warpclock
