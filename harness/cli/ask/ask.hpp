#pragma once

#include <string>
#include <vector>

#include "answer/ask/hits.hpp"
#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "cli/answers/answers.hpp"

namespace warpclock {

/// The records that answer questions.
class Library {
 public:
  explicit Library(Reports reports);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const ProbeBook& book() const { return *book_; }
  [[nodiscard]] const std::vector<RecordedTable>& tables() const { return tables_; }

 private:
  Reports reports_;
  std::vector<ReportedGpu> gpus_;
  std::vector<RecordedTable> tables_;  ///< of each GPU; empty where it has none
  std::unique_ptr<ProbeBook> book_;
};

/// What a question means, best first.
struct Finding {
  AskedWords question;
  std::vector<Hit> hits;             ///< the first answers, if any does
  bool answered = false;             ///< whether the first says enough of what was asked
  std::vector<std::string> ignored;  ///< words that the first has not
  std::string refused;               ///< why there is no answer at all: another GPU is named
};

[[nodiscard]] Finding find_answer(const std::string& text, const Library& library, const SearchWords& known);

/// The first hit with its numbers on each GPU, what to beware of, where it is and what prints more; then the next hits.
[[nodiscard]] Sheet answer_sheet(const std::string& text, const Finding& finding, const Library& library,
                                 const SearchWords& known);

}  // namespace warpclock
