#include "cli/answers/machine_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "model/measured.hpp"

namespace warpclock {

RecordedMachine::RecordedMachine(std::string by_gpu, std::string from_file, MachineTable rows)
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
    auto table = WARPCLOCK_TRY(read_gpu_machine(folder));
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
  const bool known = std::ranges::find(opcodes, opcode) != opcodes.end();
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
  const MachineRow* own = row_of_form(machine.table.rows, key);
  if (own != nullptr && has_numbers(*own)) return FoundRow{*own, {}};
  const auto near = machine.pairs().near(key);
  if (!near) return std::nullopt;
  FoundRow found{*near->row, {}};
  for (const SamePairs& same : near->because) found.differs.push_back(in_words(same));
  if (!near->latencies) {
    found.row.latencies.clear();
    found.row.encoded.reset();
    if (!near->row->latencies.empty())
      found.differs.emplace_back("latencies: no pairs of rows show that they are the same");
  }
  if (!near->interval) {
    found.row.interval.reset();
    found.row.cells.clear();
    if (near->row->interval) found.differs.emplace_back("issue interval: no pairs of rows show that it is the same");
  }
  return found;
}

MachineAnswer machine_answer(const RecordedMachine& machine, const AskedLine& asked) {
  MachineAnswer answer{asked, fail("sass", "there is no row"), machine.by, machine.from};
  answer.nature = no_number_by_nature(asked.code);
  if (!answer.nature.empty()) return answer;
  const std::string key = asked_key(asked.code);
  const bool word = is_machine_opcode(trim(asked.code)) && row_of_form(machine.table.rows, key) == nullptr;
  if (word) answer.listed = rows_of_opcode(machine.table, std::string(trim(asked.code)));
  if (!answer.listed.empty()) return answer;
  if (auto found = find_row(machine, key)) {
    answer.differs = beyond_form(asked.code);
    std::ranges::move(found->differs, std::back_inserter(answer.differs));
    if (found->row.key != key) answer.form = key;
    answer.row = std::move(found->row);
    return answer;
  }
  if (const MachineRow* row = row_of_form(machine.table.rows, key))
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

std::vector<MachineRow> rows_of_opcode(const MachineTable& table, const std::string& opcode) {
  std::vector<MachineRow> rows;
  for (const MachineRow& row : table.rows) {
    const std::string name = name_in(row.key);
    if ((name == opcode || name.starts_with(opcode + ".")) && has_numbers(row)) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, {}, [](const MachineRow& row) { return place_of_form(row.key); });
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

}  // namespace warpclock
