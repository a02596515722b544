#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer/numbers/answer.hpp"
#include "answer/numbers/quantity.hpp"
#include "answer/overview/reported_gpu.hpp"
#include "base/error.hpp"
#include "record/outline.hpp"

namespace warpclock {

/// What people ask for by words, and where its number is.
struct Topic {
  std::vector<std::string> words;           ///< phrases; one of them is in the question
  std::vector<Answer> says;                 ///< numbers of probes; labels may name parameters in braces
  std::vector<const Quantity*> quantities;  ///< numbers of quantities.yaml
  std::vector<Selector> rows;               ///< of instructions, forms and kernels: their main numbers
  std::string absent;                       ///< why there is no number
  std::string note, command;                ///< what to beware of; what prints more, if not the rows
};

/// search.yaml.
struct SearchWords {
  std::vector<Topic> topics;
  std::set<std::string> fillers;                  ///< words that a question has and that say nothing
  std::map<std::string, std::string> parameters;  ///< "way" -> "at"
  std::map<std::string, std::string> values;      ///< "fp16" -> "f16"
  std::set<std::string> rates, times;             ///< words that ask for a rate, or for a time
  std::set<std::string> gpus;                     ///< names of GPUs
  /// For the search of pages: "smem" -> "shared chase", "shared"; texts that mean the same, best first.
  std::vector<std::pair<std::string, std::vector<std::string>>> near;
};

/// The text is foreign input: error "config" at "file:line:column". Points into `quantities`.
[[nodiscard]] Expected<SearchWords> parse_search_words(const std::string& file, std::string_view text,
                                                       const Quantities& quantities);

/// The words that the program carries.
[[nodiscard]] const Expected<SearchWords>& known_search_words();

/// A probe in the record of one GPU. Both are null if the GPU has no case of it.
struct ProbePlace {
  const Record* record = nullptr;
  const ProbeOutline* probe = nullptr;
};

/// The probes that some GPUs measured, each in one suite: the one with most measured rows of it, of several equal ones
/// not `full`. Points into the records.
class ProbeBook {
 public:
  /// Only of one suite, "full" or "memory", if one is given.
  explicit ProbeBook(const std::vector<ReportedGpu>& gpus, const std::string& suite = "");

  [[nodiscard]] const std::vector<ReportedGpu>& gpus() const { return gpus_; }
  /// "H100", or "H100 80GB HBM3" where two GPUs would have one name.
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }
  /// In the order of the first GPU's records, families together.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has(const std::string& probe) const { return places_.contains(probe); }
  /// One for each GPU.
  [[nodiscard]] const std::vector<ProbePlace>& places(const std::string& probe) const { return places_.at(probe); }
  /// "full", "memory"
  [[nodiscard]] std::string suite(const std::string& probe) const;
  /// "nvidia-h200/memory/report.html#..." of a case, or of the probe's part of the page.
  [[nodiscard]] std::string case_link(std::size_t gpu, const Row& row) const;
  [[nodiscard]] std::string probe_link(std::size_t gpu, const std::string& probe) const;

 private:
  [[nodiscard]] std::string page(std::size_t gpu, const std::string& probe) const;

  const std::vector<ReportedGpu>& gpus_;
  std::vector<std::string> labels_, names_;
  /// By suite folder, for each GPU.
  std::map<std::string, std::vector<std::vector<FamilyOutline>>> outlines_;
  std::map<std::string, std::string> suites_;  ///< by probe: its folder
  std::map<std::string, std::vector<ProbePlace>> places_;
};

/// A word of a question.
struct AskedWord {
  std::string given;  ///< as it was written: "IMAD"
  std::string text;   ///< in lower case, without the s of a plural: "conflict"
  double weight = 1;  ///< 0: it says nothing
};

/// What a person asks, as words.
struct AskedWords {
  std::vector<AskedWord> words;
  bool rate = false, time = false;  ///< whether it asks for a rate, or for a time

  [[nodiscard]] double weight() const;
  /// Of the words at these places.
  [[nodiscard]] double weight(const std::set<std::size_t>& places) const;
};

/// Splits at blanks, commas, brackets, slashes and hyphens; names with dots, underscores and colons stay whole.
[[nodiscard]] AskedWords asked_words(std::string_view text, const SearchWords& known);

/// The places of the words of a phrase in the question; none unless it has all of them.
[[nodiscard]] std::set<std::size_t> places_of(std::string_view phrase, const AskedWords& question,
                                              const SearchWords& known);

/// The parameters that a question names, in the place of an answer.
struct Binding {
  Answer answer;                 ///< its conditions are those of the question, then those of its own that leave rows
  std::set<std::size_t> places;  ///< of the words that name a parameter
  std::vector<std::string> no_rows;  ///< "warps is 1, 2, 4": of parameters that are named with a value that no row has
};

/// Words that name a parameter and its value, "8 warps", "warps=8", "16 KiB", "m64n128k16", or a value alone, "f16", in
/// the rows of the answer's probe. A condition of the answer itself gives way if no row has it and those of the
/// question. The words at `taken` name something else.
[[nodiscard]] Binding bound_answer(const Answer& answer, const std::vector<ProbePlace>& places,
                                   const AskedWords& question, const std::set<std::size_t>& taken,
                                   const SearchWords& known);

/// A number of one GPU, as an answer shows it.
struct AskedNumber {
  std::string label;  ///< "bar.sync of 8 warps"
  std::string value, unit;
  std::string row, of;  ///< id of the row and its estimate; of a curve the probe and the feature; empty if of several
  std::optional<double> number;  ///< if it is one
  std::string link;              ///< below the folder of reports
};

/// Something that a question may mean.
struct Hit {
  std::vector<std::vector<AskedNumber>> on;  ///< for each GPU
  std::string absent;                        ///< why there is no number; else empty
  std::vector<std::string> caveats;
  std::string command;               ///< prints the rows
  std::set<std::size_t> places;      ///< of the words of the question that it answers
  double penalty = 0;                ///< of one that says another thing than was asked: a rate instead of a time
  bool by_text = false;              ///< found by words of a probe's question alone: near, and no answer
  bool chosen = false;               ///< whether parameters choose its row
  std::vector<std::string> no_rows;  ///< parameters that were asked for and that no row has, with what there is

  [[nodiscard]] bool has_numbers() const;
  [[nodiscard]] double score(const AskedWords& question) const;
};

/// The topics of which a phrase is in the question.
[[nodiscard]] std::vector<Hit> topic_hits(const AskedWords& question, const ProbeBook& book, const SearchWords& known);

/// What each topic says of itself, in the order of the topics.
[[nodiscard]] std::vector<Hit> topics_alone(const ProbeBook& book, const SearchWords& known);

/// The probes in whose name or question words of the question are, with the number that answers it first.
[[nodiscard]] std::vector<Hit> probe_hits(const AskedWords& question, const ProbeBook& book, const SearchWords& known);

/// The numbers of rows of instructions.json and machine.json: what the question asks for first. Of a row that was not
/// measured none.
[[nodiscard]] std::vector<AskedNumber> instruction_numbers(const ReportedGpu& gpu, const Row& row,
                                                           const AskedWords& question);
[[nodiscard]] std::vector<AskedNumber> form_numbers(const ReportedGpu& gpu, const Row& row, const AskedWords& question);

/// What the search of a page finds (assets/search.js): the topics of `warpclock ask` with their numbers; quantities,
/// probes, instructions and opcodes of all pages of a GPU; and the words of assets/search.yaml. JSON, which a page
/// carries packed. One index serves all pages of the GPU: its hrefs are relative to the GPU's folder.
[[nodiscard]] std::string search_text(const ReportedGpu& gpu);

/// The same for the page of all GPUs: each hit names its GPU, and instructions have the values of all. Pages are
/// relative to the folder of all reports.
[[nodiscard]] std::string search_text_of_all(const std::vector<ReportedGpu>& gpus);

}  // namespace warpclock
