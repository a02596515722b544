#include "cli/answers/answer_printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/escape.hpp"
#include "base/lookup.hpp"
#include "cli/answers/answer_facts.hpp"
#include "measure/inputs.hpp"

namespace warpclock {

void AnswerPrinter::refused(const Inquiry& question, const OpcodeTable& opcodes) {
  Error error = error_in(question.asked, question.subject.error());
  error.text += where_else(question.asked.text, opcodes);
  ++refused_;
  // A line of a file has its answer where its place is among the others.
  if (!as_json_ && question.asked.number == 0) return static_cast<void>(complain(with_line(question.asked, error)));
  print(refused_sheet(question.asked, error));
}

void AnswerPrinter::recorded(const Inquiry& question) {
  const Subject* subject = question.subject ? &*question.subject : nullptr;
  const bool none = !question.machine.empty() && std::ranges::none_of(question.machine, &MachineAnswer::answered);
  ++(none ? refused_ : answered_);
  if (!question.nature.empty()) return print(nature_sheet(question.asked, question.nature));
  for (const RecordedAnswer& answer : question.recorded) {
    Sheet sheet = recorded_sheet(question.asked, answer, subject);
    const RecordedAnswer& first = question.recorded.front();
    add(sheet, not_compared({answer.from->table, *answer.row}, {first.from->table, *first.row}));
    print(sheet);
  }
  for (const NamedRows& named : question.named) of_name(question.asked, named, question.named.front());
  for (MachineAnswer answer : question.machine) {
    if (!answer.row) answer.row = std::unexpected(error_in(answer.asked, answer.row.error()));
    print(machine_sheet(answer));
  }
}

void AnswerPrinter::compiled(const Inquiry& question, const ArchAnswers& answers, const std::string& gpu) {
  const Subject& subject = *question.subject;
  bool verified = true, lacking = true;
  for (const auto& per_arch : answers) {
    const CompiledAnswer answer{subject, per_arch[question.to_compile], gpu};
    verified = verified && all_verified(answer.found);
    lacking = lacking && is_lacking(answer.found);
    print(compiled_sheet(question.asked, answer), show_ ? windows_text(answer.found, style_) : "");
  }
  ++answered_;
  if (!verified || lacking) rejected_ = true;
}

int AnswerPrinter::finish() const {
  if (as_json_) fmt::print("{}", pretty(json_));
  if (answered_ == 0) return 2;
  return rejected_ || refused_ > 0 ? 1 : 0;
}

void AnswerPrinter::of_name(const AskedLine& asked, const NamedRows& named, const NamedRows& first) {
  if (!as_json_ && named.rows.size() > 1) return print(named_sheet(asked, named, first));
  for (const InstructionRecord* row : named.rows) {
    Sheet sheet = recorded_sheet(asked, {named.from, row, {}}, nullptr, named.others);
    if (const auto* other = find_by(first.from->table.rows, row->id, &InstructionRecord::id))
      add(sheet, not_compared({named.from->table, *row}, {first.from->table, *other}));
    print(sheet);
  }
}

void AnswerPrinter::print(const Sheet& sheet, const std::string& more) {
  if (as_json_) return json_.push_back(to_json(sheet));
  if (std::exchange(printed_, true)) fmt::print("\n");
  fmt::print("{}{}", to_text(sheet, style_), more);
  // Errors go to another stream and come in the order of the lines.
  std::fflush(stdout);
}

}  // namespace warpclock
