#include "cli/answers/answer_printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/escape.hpp"
#include "measure/inputs.hpp"

namespace warpclock {

void AnswerPrinter::refused(const Inquiry& question, const OpcodeTable& opcodes) {
  Error error = error_in(question.asked, question.subject.error());
  error.text += where_else(question.asked.text, opcodes);
  ++refused_;
  if (as_json_) return json_.push_back(refused_json(question.asked, error));
  // A line of a file has its answer where its place is among the others.
  if (question.asked.number == 0) return static_cast<void>(complain(with_line(question.asked, error)));
  text(fmt::format("{}: {} ({})\n", title_of(question.asked), style_.red("refused"), printable(error.message())));
}

void AnswerPrinter::recorded(const Inquiry& question) {
  const Subject* subject = question.subject ? &*question.subject : nullptr;
  const bool none = !question.machine.empty() && std::ranges::none_of(question.machine, &MachineAnswer::answered);
  ++(none ? refused_ : answered_);
  if (!question.nature.empty()) {
    nlohmann::ordered_json out = asked_json(question.asked);
    out["answer"] = "no number: " + question.nature;
    if (as_json_) return json_.push_back(std::move(out));
    return text(fmt::format("{}: {} ({})\n", title_of(question.asked), style_.bold("no number"), question.nature));
  }
  for (const RecordedAnswer& answer : question.recorded) {
    if (as_json_) json_.push_back(recorded_json(question.asked, answer, subject));
    if (!as_json_) text(recorded_text(question.asked, answer, subject, style_));
  }
  for (const NamedRows& named : question.named) of_name(question.asked, named);
  for (MachineAnswer answer : question.machine) {
    if (!answer.row) answer.row = std::unexpected(error_in(answer.asked, answer.row.error()));
    if (as_json_) json_.push_back(machine_json(answer));
    if (!as_json_) text(machine_text(answer, style_));
  }
}

void AnswerPrinter::compiled(const Inquiry& question, const ArchAnswers& answers, const std::string& gpu) {
  const Subject& subject = *question.subject;
  bool verified = true, lacking = true;
  for (const auto& per_arch : answers) {
    const CompiledAnswer answer{subject, per_arch[question.to_compile], gpu};
    verified = verified && all_verified(answer.found);
    lacking = lacking && is_lacking(answer.found);
    if (as_json_) json_.push_back(compiled_json(question.asked, answer));
    if (!as_json_) text(compiled_text(question.asked, answer, show_, style_));
  }
  ++answered_;
  if (!verified || lacking) rejected_ = true;
}

int AnswerPrinter::finish() const {
  if (as_json_) fmt::print("{}\n", json_.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  if (answered_ == 0) return 2;
  return rejected_ || refused_ > 0 ? 1 : 0;
}

void AnswerPrinter::of_name(const AskedLine& asked, const NamedRows& named) {
  if (!as_json_ && named.rows.size() > 1) return text(named_text(asked, named, style_));
  for (const InstructionRecord* row : named.rows) {
    const RecordedAnswer answer{named.from, row, {}};
    if (as_json_) json_.push_back(recorded_json(asked, answer, nullptr));
    if (!as_json_) text(recorded_text(asked, answer, nullptr, style_) + others_text(named.others, style_));
  }
}

void AnswerPrinter::text(const std::string& answer) {
  if (std::exchange(printed_, true)) fmt::print("\n");
  fmt::print("{}", answer);
  // Errors go to another stream and come in the order of the lines.
  std::fflush(stdout);
}

}  // namespace warpclock
