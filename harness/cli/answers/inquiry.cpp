#include "cli/answers/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "measure/inputs.hpp"
#include "report/instructions/machine_parts.hpp"

namespace warpclock {
namespace {

MachineAnswer machine_answer(const AskedLine& asked, const RecordedMachine& machine) {
  return {asked, fail("sass", "there is no row in " + machine.from), machine.by, machine.from};
}

/// The rows of an opcode of machine code on each GPU that has any.
Expected<std::vector<MachineAnswer>> rows_of_word(const AskedLine& asked, const GpuChoice& choice) {
  std::vector<MachineAnswer> answers;
  const std::string word(trim(asked.text));
  if (!is_machine_opcode(word)) return answers;
  const auto machines = WARPCLOCK_TRY(recorded_machines(choice));
  for (const RecordedMachine& machine : machines) {
    MachineAnswer answer = machine_answer(asked, machine);
    answer.listed = rows_of_opcode(machine.table, word);
    if (!answer.listed.empty()) answers.push_back(std::move(answer));
  }
  return answers;
}

/// "SR_TID.X" of "mov.u32 {d}, %tid.x", or empty.
std::string special_register_in(const std::string& ptx) {
  const std::size_t at = ptx.find('%');
  if (at == std::string::npos) return {};
  std::string name = "SR_" + ptx.substr(at + 1);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// The rows of the machine instructions that a line became, if each has one.
std::vector<MachineAnswer> rows_of_texts(const AskedLine& asked, const RecordedMachine& machine,
                                         const std::vector<std::string>& texts) {
  std::vector<MachineAnswer> answers;
  for (const std::string& text : texts) {
    const MachineRow* row = row_of_form(machine.table.rows, key_of(skeleton_of("@PT " + text)));
    if (row == nullptr || !has_numbers(*row)) return {};
    MachineAnswer answer = machine_answer(asked, machine);
    answer.row = *row;
    answer.of = text;
    answer.because = texts.size() == 1 ? "the machine instruction that it becomes"
                                       : "one of the machine instructions that it becomes";
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// Of a line that has no machine code of its own in an experiment: the rows of the opcode that it natively is, of a
/// special register only that one.
std::vector<MachineAnswer> rows_of_natives(const Inquiry& question, const RecordedMachine& machine) {
  std::vector<MachineAnswer> answers;
  const std::string special = special_register_in(question.subject->ptx);
  for (const std::string& native : question.subject->instruction.sass) {
    MachineAnswer answer = machine_answer(question.asked, machine);
    answer.listed = rows_of_opcode(machine.table, native);
    if (!special.empty())
      std::erase_if(answer.listed, [&](const MachineRow& row) { return !row.key.ends_with(special); });
    if (!answer.listed.empty()) answers.push_back(std::move(answer));
  }
  return answers;
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
                             const GpuChoice& choice) {
  Inquiry question{std::move(asked), std::move(subject), {}, {}, {}};
  if (!plain) return question;
  if (question.subject) {
    question.recorded = recorded_answers(tables, opcodes, question.subject->ptx);
    return question;
  }
  question.named = recorded_by_name(tables, std::string(trim(question.asked.text)));
  if (question.named.empty() && !tables.empty()) question.machine = WARPCLOCK_TRY(rows_of_word(question.asked, choice));
  return question;
}

Expected<void> find_rows_by_code(Inquiry& question, const std::vector<RecordedTable>& tables,
                                 const OpcodeTable& opcodes, const std::string& arch,
                                 const CompiledInstruction& compiled, const GpuChoice& choice) {
  const PtxInstruction& instruction = question.subject->instruction;
  const bool asked_here = std::ranges::any_of(tables, [&](const auto& one) { return one.table.device.arch == arch; });
  if (instruction.is_block() || !asked_here) return {};
  const auto rows = [&](bool same_operands) {
    return recorded_by_code(tables, opcodes, arch, instruction, compiled.expansion.opcodes, same_operands);
  };
  question.recorded = rows(true);
  if (!question.recorded.empty()) return {};
  const auto machines = WARPCLOCK_TRY(recorded_machines(choice));
  for (const RecordedMachine& machine : machines) {
    if (machine.table.device.arch != arch) continue;
    const std::vector<std::string>& texts = compiled.expansion.texts;
    auto answers = texts.empty() ? rows_of_natives(question, machine) : rows_of_texts(question.asked, machine, texts);
    std::ranges::move(answers, std::back_inserter(question.machine));
  }
  if (question.machine.empty()) question.recorded = rows(false);
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
  const bool words = std::ranges::all_of(word, is_of_words) || is_machine_opcode(word);
  if (!words || word.empty() || word.size() > most_letters || opcodes.rows.contains(first)) return {};
  if (const std::string opcode = word.substr(0, word.find_first_of(" \t")); is_machine_opcode(opcode))
    return fmt::format("; {} is an opcode of machine code: `warpclock cycles --sass {}`", opcode, opcode);
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
