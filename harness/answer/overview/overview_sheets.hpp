#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "answer/overview/reported_gpu.hpp"
#include "base/error.hpp"
#include "base/json/json_writer.hpp"
#include "record/selector.hpp"

namespace warpclock {

// A sheet is a page of text and tables: {"sections": [{"id", "title", "notes": [text], "list": [text],
// "facts": [[name, value]], "tables": [table], "folded": {"summary", "table"}}]}. assets/sheet.js shows it.

/// A cell: text, or text with a link, and a smaller text below it.
[[nodiscard]] Json sheet_cell(const std::string& text, const std::string& href = {}, const std::string& note = {});

[[nodiscard]] Json sheet_section(const std::string& id, const std::string& title,
                                 const std::vector<std::string>& notes = {});

// Sheets of overviews, for pages and their summaries.

/// Of all GPUs: the front tables with a column for each, all main numbers, what differs between them, reduced to its
/// causes, and the drawing of each memory system. Pure.
[[nodiscard]] Json index_sheet(const std::vector<ReportedGpu>& gpus);

/// Of one GPU: the front tables, its pages, its main numbers, the answer of each probe, and its board. Pure.
[[nodiscard]] Json gpu_sheet(const ReportedGpu& gpu);

/// The sections of front.yaml, with a column for each GPU; rows that no GPU has are left out. Links of `all` begin with
/// the GPU's folder.
[[nodiscard]] Json front_sections(const std::vector<ReportedGpu>& gpus, bool all);

/// The value of a quantity, with a link to its probe; of a rate per clock in GB/s of all SMs, with the rate beside it.
/// Nothing if the GPU has none.
[[nodiscard]] std::optional<Json> quantity_cell(const ReportedGpu& gpu, const Quantity& quantity, bool all);

/// A number that the tables of several GPUs give under one id.
struct SharedNumber {
  Selector::Kind of = Selector::Kind::Cases;  ///< Cases, Instruction or Form
  std::string group;                          ///< the probe, or the family of the instruction
  std::string id;        ///< of the case or the row: "atomics/fence[order=sc,scope=gpu]", "fence/fence.sc.gpu"
  std::string estimate;  ///< "fence", "latency.a"
  std::string page;      ///< relative to a GPU's folder: "memory/report.html", "instructions.html"
  std::string fragment;  ///< the place on that page
  Parameters parameters;
  std::vector<const Estimate*> on;  ///< by GPU; null where a GPU has none
  bool other_code = false;  ///< two GPUs of one architecture timed other machine code, by records of other commits
};

/// All numbers of results, of instruction tables (latencies and issue) and of machine instructions (latencies and issue
/// intervals). If suites repeat a probe, the one with most rows counts. Points into the records. Pure.
[[nodiscard]] std::vector<SharedNumber> shared_numbers(const std::vector<ReportedGpu>& gpus);

/// Whether a selector means this number.
[[nodiscard]] bool means(const Selector& selector, const SharedNumber& number);

/// Which numbers measure the same in another way (assets/second.yaml).
struct SecondMethod {
  Selector of;
  Selector by;  ///< {parameter} is that of the first row
};
/// What many differences follow from (assets/second.yaml).
struct DifferenceCause {
  std::string name, says;
  std::vector<Selector> of;
};
struct DifferenceNotes {
  std::vector<SecondMethod> second;
  std::vector<DifferenceCause> causes;
};
[[nodiscard]] Expected<DifferenceNotes> parse_difference_notes(const std::string& file, std::string_view text);
/// Those that the program carries.
[[nodiscard]] const Expected<DifferenceNotes>& known_difference_notes();

/// A number that differs between GPUs by more than a fifth, with disjoint intervals. A share ("1", "%") differs if it
/// does so by more than a fifth of the whole.
struct GpuDifference {
  const SharedNumber* number = nullptr;
  std::size_t least = 0, most = 0;  ///< the GPUs with the lowest and the highest value
  double ratio = 0;                 ///< highest over lowest value; for shares the distance
  bool share = false;
  const SharedNumber* second = nullptr;  ///< the nearest number of a second method; null if there is none
  double second_ratio = 0;               ///< on the same two GPUs, in the same direction
  bool confirmed = false;
  const DifferenceCause* cause = nullptr;  ///< the first that its id is of
};

/// The differences of one estimate of a probe or a family, the largest first.
struct DifferenceGroup {
  std::string group, estimate;
  std::size_t compared = 0;
  std::vector<GpuDifference> rows;

  [[nodiscard]] std::size_t confirmed() const;
  /// Neither confirmed nor of a known cause.
  [[nodiscard]] std::size_t open() const;
};

struct GpuDifferences {
  std::size_t compared = 0;    ///< numbers that at least two GPUs have
  std::size_t other_code = 0;  ///< those that are not compared, because other machine code was timed
  std::size_t differ = 0, confirmed = 0, open = 0;
  std::vector<DifferenceGroup> groups;  ///< the largest difference first
};
/// Points into `numbers` and `notes`. Pure.
[[nodiscard]] GpuDifferences find_differences(const std::vector<SharedNumber>& numbers, const DifferenceNotes& notes);

}  // namespace warpclock
