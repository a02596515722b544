#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "answer/ask/binding.hpp"
#include "answer/ask/probe_book.hpp"

namespace warpclock {

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
[[nodiscard]] std::vector<AskedNumber> instruction_numbers(const ReportedGpu& gpu, const InstructionRecord& row,
                                                           const AskedWords& question);
[[nodiscard]] std::vector<AskedNumber> form_numbers(const ReportedGpu& gpu, const MachineRow& row,
                                                    const AskedWords& question);

}  // namespace warpclock
