#include "cli/answers/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "measure/inputs.hpp"
#include "record/instructions/instruction_assemble.hpp"

namespace warpclock {
namespace {

/// "SR_TID.X" of "mov.u32 {d}, %tid.x", or empty.
std::string special_register_in(const std::string& ptx) {
  const std::size_t at = ptx.find('%');
  if (at == std::string::npos) return {};
  std::string name = "SR_" + ptx.substr(at + 1);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

MachineAnswer part_of(const AskedLine& asked, const RecordedMachine& machine) {
  return {asked, fail("sass", "there is no row in " + machine.from), machine.by, machine.from};
}

/// The rows of the machine instructions that a line became, if each has one.
std::vector<MachineAnswer> rows_of_texts(const AskedLine& asked, const RecordedMachine& machine,
                                         const std::vector<std::string>& texts) {
  std::vector<MachineAnswer> answers;
  for (const std::string& text : texts) {
    auto found = find_row(machine, asked_key(text));
    if (!found) return {};
    MachineAnswer answer = part_of(asked, machine);
    answer.row = std::move(found->row);
    answer.differs = std::move(found->differs);
    answer.of = text;
    answer.because = texts.size() == 1 ? "the machine instruction that it becomes"
                                       : "one of the machine instructions that it becomes";
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// The row that a line has if it is one machine instruction: that of its form, as the catalogue makes it.
std::optional<RecordedAnswer> row_of_word(const Subject& subject, const CompiledInstruction& compiled,
                                          const RecordedMachine& machine, const std::vector<RecordedTable>& tables) {
  const auto from = std::ranges::find_if(
      tables, [&](const RecordedTable& one) { return one.table.device.slug == machine.table.device.slug; });
  auto found = from == tables.end() ? std::nullopt : find_row(machine, compiled.word->form);
  if (!found) return std::nullopt;
  InstructionRecord row;
  row.id = subject.id;
  row.family = subject.family;
  row.ptx = subject.ptx;
  row.arch = machine.table.device.arch;
  row.became = compiled.expansion.opcodes;
  answer_by_form(row, subject.instruction, *compiled.word, found->row);
  auto made = std::make_shared<const InstructionRecord>(std::move(row));
  RecordedAnswer answer{&*from, made.get(), {}};
  answer.made = std::move(made);
  answer.made_of = machine.from;
  answer.differs = std::move(found->differs);
  return answer;
}

/// Of a line that has no machine code of its own in an experiment: the rows of the one opcode that it natively is, of a
/// special register only that one. With several opcodes nothing says which it would be.
std::vector<MachineAnswer> rows_of_natives(const Inquiry& question, const RecordedMachine& machine) {
  std::vector<MachineAnswer> answers;
  const std::string special = special_register_in(question.subject->ptx);
  if (special.empty() && question.subject->instruction.sass.size() != 1) return answers;
  for (const std::string& native : question.subject->instruction.sass) {
    MachineAnswer answer = part_of(question.asked, machine);
    answer.listed = rows_of_opcode(machine.table, native);
    if (!special.empty())
      std::erase_if(answer.listed, [&](const MachineRow& row) { return !row.key.ends_with(special); });
    if (!answer.listed.empty()) answers.push_back(std::move(answer));
  }
  return answers;
}

/// Of PTX that is refused: whether it has no number by its nature. The reason is the refusal's.
bool is_without_number(const PtxLine& line) {
  constexpr std::array<std::string_view, 7> control{"bra", "brx", "call", "ret", "exit", "trap", "brkpt"};
  // What a call passes is where the compiler of the call puts it.
  return std::ranges::find(control, line.opcode) != control.end() ||
         std::ranges::find(line.modifiers, "param") != line.modifiers.end();
}

/// Lower-case words of at least three letters or digits: "bank", "conflict".
std::vector<std::string> words_of(const std::string& text) {
  constexpr std::size_t shortest = 3;
  std::string plain = to_lower(text);
  for (char& c : plain)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = ' ';
  std::vector<std::string> words = split(plain, ' ');
  std::erase_if(words, [](const std::string& word) { return word.size() < shortest; });
  return words;
}

/// Probes whose name or question has all the words, without a plural or a case; those with them in the name first.
std::vector<std::string> probes_about(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const auto inputs = load_inputs({});
  std::vector<std::string> by_name, by_question;
  if (!inputs || words.empty()) return by_name;
  for (const Probe& probe : inputs->suite.probes) {
    const std::string name = probe.family + "/" + probe.name;
    const auto in = [&](const std::string& where) {
      return std::ranges::all_of(words, [&](const std::string& word) { return to_lower(where).contains(word); });
    };
    if (in(name))
      by_name.push_back(name);
    else if (in(probe.asks))
      by_question.push_back(name);
  }
  std::ranges::move(by_question, std::back_inserter(by_name));
  return by_name;
}

}  // namespace

Expected<Inquiry> inquiry_of(AskedLine asked, Expected<Subject> subject, bool plain,
                             const std::vector<RecordedTable>& tables, const OpcodeTable& opcodes,
                             RecordedMachines& machines) {
  Inquiry question{std::move(asked), std::move(subject), {}, {}, {}, {}};
  if (question.asked.machine) {
    const auto all = WARPCLOCK_TRY(machines.all());
    for (const RecordedMachine& machine : *all) question.machine.push_back(machine_answer(machine, question.asked));
    return question;
  }
  if (!question.subject) {
    question.nature = no_number_by_nature(question.asked.code);
    const auto line = parse_ptx(question.asked.code);
    if (line && is_without_number(*line)) question.nature = question.subject.error().text;
  }
  if (!plain || !question.nature.empty()) return question;
  if (question.subject)
    question.recorded = recorded_answers(tables, opcodes, question.subject->ptx);
  else
    question.named = recorded_by_name(tables, std::string(trim(question.asked.code)));
  return question;
}

Expected<void> find_rows_by_code(Inquiry& question, const std::vector<RecordedTable>& tables,
                                 const OpcodeTable& opcodes, const std::string& arch,
                                 const CompiledInstruction& compiled, RecordedMachines& machines) {
  const PtxInstruction& instruction = question.subject->instruction;
  const bool asked_here = std::ranges::any_of(tables, [&](const auto& one) { return one.table.device.arch == arch; });
  if (instruction.is_block() || !asked_here) return {};
  const auto all = WARPCLOCK_TRY(machines.all());
  std::vector<const RecordedMachine*> of_arch;
  for (const RecordedMachine& machine : *all)
    if (machine.table.device.arch == arch) of_arch.push_back(&machine);
  if (compiled.word) {
    for (const RecordedMachine* machine : of_arch)
      if (auto answer = row_of_word(*question.subject, compiled, *machine, tables))
        question.recorded.push_back(*std::move(answer));
    if (!question.recorded.empty()) return {};
  }
  const auto rows = [&](bool same_operands) {
    return recorded_by_code(tables, opcodes, arch, instruction, compiled.expansion.opcodes, same_operands);
  };
  question.recorded = rows(true);
  if (!question.recorded.empty()) return {};
  if (compiled.problem && compiled.problem->code != ErrorCode::NoInstruction) return {};
  for (const RecordedMachine* machine : of_arch) {
    const std::vector<std::string>& texts = compiled.expansion.texts;
    auto answers = texts.empty() ? rows_of_natives(question, *machine) : rows_of_texts(question.asked, *machine, texts);
    std::ranges::move(answers, std::back_inserter(question.machine));
  }
  if (question.machine.empty()) question.recorded = rows(false);
  if (!question.has_rows() && compiled.problem && compiled.problem->code == ErrorCode::NoInstruction)
    question.nature = compiled.problem->text;
  return {};
}

std::string where_else(const std::string& text, const OpcodeTable& opcodes) {
  // Only for words: what has the signs of a statement is meant as one.
  constexpr std::size_t most_letters = 60;
  const std::string word(trim(text));
  const auto is_of_words = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ' ';
  };
  const std::string first = word.substr(0, word.find_first_of(" \t."));
  const bool words = std::ranges::all_of(word, is_of_words);
  if (!words || word.empty() || word.size() > most_letters || opcodes.rows.contains(first)) return {};
  std::vector<std::string> probes = probes_about(text);
  constexpr std::size_t most = 4;
  const std::string what = "; if it is no instruction, ";
  if (probes.empty())
    return what +
           "the search of reports/<gpu>/index.html finds words, and `warpclock list --suite all` shows the probes";
  probes.resize(std::min(probes.size(), most));
  return fmt::format("{}probes about it: {} (their numbers: the search of reports/<gpu>/index.html)", what,
                     join(probes, ", "));
}

}  // namespace warpclock
