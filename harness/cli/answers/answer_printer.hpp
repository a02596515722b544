#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/sheet/sheet.hpp"
#include "base/terminal.hpp"
#include "cli/answers/inquiry.hpp"

namespace warpclock {

/// What was compiled, and measured if a GPU was there: for each architecture a row of each subject.
using ArchAnswers = std::vector<std::vector<MeasuredInstruction>>;

/// Prints the answers in the order of the lines, as text or as one JSON array, and counts what has none.
class AnswerPrinter {
 public:
  /// `show`: with the windows of what was compiled.
  AnswerPrinter(bool json, bool show) : as_json_(json), show_(show) {}

  void refused(const Inquiry& question, const OpcodeTable& opcodes);
  void recorded(const Inquiry& question);
  /// `gpu` is the name of the GPU that ran it, or empty.
  void compiled(const Inquiry& question, const ArchAnswers& answers, const std::string& gpu);

  /// The exit status: 2 if no line could be answered, 1 if one could not or has something rejected.
  [[nodiscard]] int finish() const;

 private:
  /// `first`: the rows of the first GPU that has any.
  void of_name(const AskedLine& asked, const NamedRows& named, const NamedRows& first);
  /// `more`: what people read below it.
  void print(const Sheet& sheet, const std::string& more = {});

  bool as_json_, show_;
  Style style_{Stream::Out};
  Json json_ = Json::array();
  std::size_t answered_ = 0, refused_ = 0;
  bool rejected_ = false, printed_ = false;
};

}  // namespace warpclock
