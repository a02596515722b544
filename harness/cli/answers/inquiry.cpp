#include "cli/answers/inquiry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "answer/instructions/instruction_cells.hpp"
#include "base/lookup.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "code/listing.hpp"
#include "fields/form_table.hpp"
#include "measure/inputs.hpp"
#include "model/measured.hpp"
#include "record/instructions/instruction_assemble.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {

RecordedMachine::RecordedMachine(std::string by_gpu, std::string from_file, Record rows)
    : by(std::move(by_gpu)), from(std::move(from_file)), table(std::move(rows)) {}

const RowPairs& RecordedMachine::pairs() const {
  if (!pairs_) pairs_ = std::make_unique<RowPairs>(table.rows);
  return *pairs_;
}

Expected<const std::vector<RecordedMachine>*> RecordedMachines::all() {
  if (read_) return &*read_;
  std::vector<RecordedMachine> machines;
  const auto folders = WARPCLOCK_TRY(answering_folders(choice_));
  for (const std::filesystem::path& folder : folders) {
    auto table = WARPCLOCK_TRY(read_if_there(folder / "machine.json", {{RecordFile::Machine}}));
    if (!table && !choice_.gpu.empty())
      return fail("gpu", "there is no machine.json; `warpclock catalogue --sass` measures one", folder.string());
    if (!table) continue;
    std::string from =
        fmt::format("{}, commit {}", (folder / "machine.json").string(), table->provenance.commit.substr(0, 8));
    std::string by = measured_when(table->device, table->provenance);
    machines.emplace_back(std::move(by), std::move(from), *std::move(table));
  }
  return &read_.emplace(std::move(machines));
}

namespace {

constexpr std::string_view unguarded_key = "@PT ";

/// "@PT IADD3 R#, R#" of "IADD3  R#,R#", "@P0 IADD3 R#, R#".
std::string printed_form(std::string_view text) {
  if (text.starts_with('@')) text = trim(text.substr(std::min(text.find(' '), text.size())));
  const std::size_t opcode = std::min(text.find(' '), text.size());
  std::string key = std::string(unguarded_key) + std::string(text.substr(0, opcode));
  const std::string_view rest = trim(text.substr(opcode));
  if (rest.empty()) return key;
  std::vector<std::string> operands = split(rest, ',');
  for (std::string& operand : operands) operand = trim(operand);
  return key + " " + join(operands, ", ");
}

/// 32@lo(name) is a number that the linker fills in.
std::string without_relocations(const std::string& key) {
  if (!key.contains("@lo(") && !key.contains("@hi(")) return key;
  std::vector<std::string> operands = split(replace_all(key, ", ", "\n"), '\n');
  for (std::string& operand : operands)
    if (operand.contains("@lo(") || operand.contains("@hi(")) operand = "#";
  return join(operands, ", ");
}

struct Nature {
  std::string_view opcode, why, probes;
};
constexpr std::array<Nature, 8> natures{
    {{"NANOSLEEP", "sleeps as long as its operand says", ""},
     {"BSSY", "names where the lanes of a warp meet again", "issue/diverge"},
     {"BSYNC", "waits for the other lanes of the warp", "issue/diverge"},
     {"BREAK", "takes lanes out of those that are waited for", "issue/diverge"},
     {"BMOV", "moves a barrier of divergence", "issue/diverge"},
     {"ENDCOLLECTIVE", "ends a part that all lanes execute together", "issue/diverge"},
     {"YIELD", "lets other lanes of the warp go first", "issue/diverge"},
     {"BPT", "stops the kernel", ""}}};

std::string with_probes(std::string_view why, std::string_view probes) {
  if (probes.empty()) return std::string(why);
  return fmt::format("{}; probes measure what it costs: warpclock list --suite kernels '{}'", why, probes);
}

/// Which row is missing, and how it could be measured.
Error missing_row(const RecordedMachine& machine, const std::string& key) {
  const auto arch = parse_arch(machine.table.device.arch);
  const FormTable* forms = arch ? &forms_of(*arch) : nullptr;
  const std::string row = fmt::format("there is no row of '{}', and no near one", key.substr(unguarded_key.size()));
  if (forms != nullptr && forms->find(key) != nullptr)
    return {"sass", row + "; `warpclock catalogue --sass` on that GPU measures it", ""};
  const std::string opcode = parts_of(key).opcode;
  std::vector<std::string> opcodes;
  if (forms != nullptr)
    for (const WordForm& form : forms->all()) opcodes.push_back(parts_of(key_of(form)).opcode);
  const bool known = contains(opcodes, opcode);
  return {"sass",
          fmt::format("{}; it is not among the forms of {}{}: a kernel of the catalogue has to contain it, then "
                      "`warpclock catalogue --sass` measures it",
                      row, machine.table.device.arch, known ? "" : did_you_mean(opcode, opcodes)),
          ""};
}

std::string in_words(const SamePairs& same) {
  return fmt::format("{}: {} {} only in this, with the same numbers ({})", in_words(same.change),
                     counted(static_cast<std::int64_t>(same.pairs), "pair") + " of rows",
                     same.pairs == 1 ? "differs" : "differ", same.among);
}

}  // namespace

std::string asked_key(const std::string& code) {
  const std::string_view text = trim(code);
  if (text.contains('#')) return printed_form(text);
  return without_relocations(key_of(skeleton_of(text)));
}

std::string no_number_by_nature(const std::string& code) {
  const std::string_view text = trim(code);
  if (text.ends_with(':')) return "a label is no instruction, and takes no time";
  if (text.starts_with('.')) return "a directive is no instruction, and takes no time";
  const auto instruction = parse_instruction(text);
  if (!instruction) return {};
  if (is_jump(*instruction)) {
    return with_probes("where control goes next is not a result that a register holds",
                       instruction->opcode == "EXIT" || instruction->opcode == "KILL" ? "" : "issue/jump");
  }
  if (instruction->name().starts_with("WARPSYNC.COLLECTIVE"))
    return with_probes("it waits for the other lanes of the warp", "issue/diverge");
  const Nature* nature = find_by(natures, instruction->opcode, &Nature::opcode);
  return nature == nullptr ? "" : with_probes("it " + std::string(nature->why), nature->probes);
}

std::vector<std::string> beyond_form(const std::string& code) {
  std::vector<std::string> differs;
  const auto instruction = parse_instruction(code);
  const std::string guard = instruction ? instruction->predicate : "";
  if (!guard.empty() && guard != "PT" && guard != "UPT")
    differs.push_back(
        fmt::format("guard @{}: the row has none; the guard is one more register that must be ready", guard));
  if (code.contains(".reuse")) differs.emplace_back("reuse flags: the copies of the row set none");
  return differs;
}

std::optional<FoundRow> find_row(const RecordedMachine& machine, const std::string& key) {
  const Row* own = find_by(machine.table.rows, key, &Row::id);
  if (own != nullptr && own->outcome == Outcome::Measured) return FoundRow{*own, {}};
  const auto near = machine.pairs().near(key);
  if (!near) return std::nullopt;
  FoundRow found{*near->row, {}};
  for (const SamePairs& same : near->because) found.differs.push_back(in_words(same));
  if (!near->latencies) {
    found.row.machine.paths.clear();
    std::erase_if(found.row.estimates, [](const Estimate& one) { return one.name != "interval"; });
    if (!near->row->machine.paths.empty())
      found.differs.emplace_back("latencies: no pairs of rows show that they are the same");
  }
  if (!near->interval) {
    found.row.machine.cells.clear();
    if (std::erase_if(found.row.estimates, [](const Estimate& one) { return one.name == "interval"; }) > 0)
      found.differs.emplace_back("issue interval: no pairs of rows show that it is the same");
  }
  return found;
}

MachineAnswer machine_answer(const RecordedMachine& machine, const AskedLine& asked) {
  MachineAnswer answer{asked, fail("sass", "there is no row"), machine.by, machine.from};
  answer.nature = no_number_by_nature(asked.code);
  if (!answer.nature.empty()) return answer;
  const std::string key = asked_key(asked.code);
  const bool word = is_machine_opcode(trim(asked.code)) && find_by(machine.table.rows, key, &Row::id) == nullptr;
  if (word) answer.listed = rows_of_opcode(machine.table, std::string(trim(asked.code)));
  if (!answer.listed.empty()) return answer;
  if (auto found = find_row(machine, key)) {
    answer.differs = beyond_form(asked.code);
    std::ranges::move(found->differs, std::back_inserter(answer.differs));
    if (found->row.id != key) answer.form = key;
    answer.row = std::move(found->row);
    return answer;
  }
  if (const Row* row = find_by(machine.table.rows, key, &Row::id))
    answer.row = *row;
  else
    answer.row = std::unexpected(missing_row(machine, key));
  return answer;
}

namespace {

/// "@PT IMAD.WIDE R#, R#, #, R#": how many modifiers it has beyond the word, how many operands are no plain register,
/// and how many operands there are less than of others.
auto place_of_form(const std::string& key) {
  const std::string name = name_in(key);
  const std::size_t at = key.find(name) + name.size();
  const std::vector<std::string> operands =
      split(replace_all(key.substr(std::min(at + 1, key.size())), ", ", ","), ',');
  const auto special = std::ranges::count_if(operands, [](const std::string& one) { return one != "R#"; });
  return std::tuple(std::ranges::count(name, '.'), special, name);
}

}  // namespace

std::vector<Row> rows_of_opcode(const Record& table, const std::string& opcode) {
  std::vector<Row> rows;
  for (const Row& row : rows_of(table, RowKind::Form)) {
    const std::string name = name_in(row.id);
    if ((name == opcode || name.starts_with(opcode + ".")) && row.outcome == Outcome::Measured) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return place_of_form(row.id); });
  return rows;
}

bool is_machine_opcode(std::string_view word) {
  if (word.empty() || word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.") != std::string_view::npos)
    return false;
  return std::ranges::any_of(verified_archs(), [&](const Arch& arch) {
    return std::ranges::any_of(forms_of(arch).all(), [&](const WordForm& form) {
      const std::string name = name_in(key_of(form));
      return name == word || (name.starts_with(word) && name[word.size()] == '.');
    });
  });
}

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
  Row row;
  row.id = subject.id;
  row.kind = RowKind::Ptx;
  row.family = subject.family;
  row.ptx = subject.ptx;
  row.arch = machine.table.device.arch;
  row.instruction.became = compiled.expansion.opcodes;
  answer_by_form(row, subject.instruction, *compiled.word, found->row);
  auto made = std::make_shared<const Row>(std::move(row));
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
    if (!special.empty()) std::erase_if(answer.listed, [&](const Row& row) { return !row.id.ends_with(special); });
    if (!answer.listed.empty()) answers.push_back(std::move(answer));
  }
  return answers;
}

/// Of PTX that is refused: whether it has no number by its nature. The reason is the refusal's.
bool is_without_number(const PtxLine& line) {
  constexpr std::array<std::string_view, 7> control{"bra", "brx", "call", "ret", "exit", "trap", "brkpt"};
  // What a call passes is where the compiler of the call puts it.
  return contains(control, line.opcode) || contains(line.modifiers, "param");
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
