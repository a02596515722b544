#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/outline.hpp"
#include "record/record.hpp"
#include "record/variation.hpp"
#include "report/html/html_page.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// The context of a page beyond the case at hand. Each function below returns a fragment of well-formed markup in which
/// all foreign text is escaped; render_html() puts them together.
struct PageContext {
  const Record& record;
  Variations variations;
  std::vector<FamilyOutline> families;
  /// Among cases with the same window and PTX, the first one shows them for all others. Most cases map to themselves.
  std::map<const CaseRecord*, const CaseRecord*> shown_by = {};
  PagePlace place = {};
};

/// The headings of the sections; the navigation uses them too.
inline constexpr std::string_view memory_heading = "The memory system", tensor_heading = "Tensor cores",
                                  handoffs_heading = "Hand-off latency by mechanism",
                                  pipelines_heading = "Pipeline stages that hide a copy", findings_heading = "Findings",
                                  unpublished_heading = "What is not published, and why",
                                  reading_heading = "How to read this page";

/// `<section id="findings"><h2>Findings</h2>`, to be closed.
[[nodiscard]] std::string section_head(std::string_view id, std::string_view heading);

/// "NVIDIA H200, memory".
[[nodiscard]] std::string page_title(const Record& record, const PagePlace& place);

[[nodiscard]] std::string html_header(const PageContext& page);
/// The GPU's sizes, clocks and board, as a <dl>.
[[nodiscard]] std::string html_device_facts(const DeviceFacts& device);
/// The drawing of the memory system; empty if the result has none of its numbers.
[[nodiscard]] std::string html_memory(const PageContext& page);
/// Every shape and type of the tensor cores; empty if the result has none.
[[nodiscard]] std::string html_tensor(const PageContext& page);
/// The cost of a hand-off by mechanism; empty if the result has none.
[[nodiscard]] std::string html_handoffs(const PageContext& page);
/// How much of a copy's latency pipeline stages hide, measured and by a model; empty if the result has none.
[[nodiscard]] std::string html_pipelines(const PageContext& page);
/// Published values next to what that probe found; an empty `probe` means what the driver states. Usually empty.
[[nodiscard]] std::string html_published(const Record& record, const std::string& probe);
[[nodiscard]] std::string html_findings(const PageContext& page);
[[nodiscard]] std::string html_unpublished(const PageContext& page);
[[nodiscard]] std::string html_reading(const PageContext& page);

/// A probe's question, its answer and its charts, with a closed part for its rows: tables of its features and cases,
/// maps, layouts. `index` numbers the probes of the page, for ids inside charts.
[[nodiscard]] std::string html_probe(const PageContext& page, const ProbeOutline& probe, std::size_t index,
                                     Parts& parts);
[[nodiscard]] std::string html_charts(const ProbeOutline& probe, std::size_t index);
/// A map of the values of each place (usually an SM), one row for each case, or the groups of places; or nothing.
[[nodiscard]] std::string html_places(const ProbeOutline& probe, std::size_t index);
/// The position of each element of a matrix, one picture for all cases with the same result; or nothing.
[[nodiscard]] std::string html_layouts(const ProbeOutline& probe);
/// Whether its cases are points of curves. Their machine code is shown once, below their table, and their samples are
/// only in result.json. Other cases are shown as folds.
[[nodiscard]] inline bool is_curve(const ProbeOutline& probe) { return !probe.probe.along.empty(); }
/// The table of a probe's cases and what follows it.
[[nodiscard]] std::string html_curve_cases(const PageContext& page, const ProbeOutline& probe);

/// A <tbody>: the row, and an empty row below it for its evidence.
[[nodiscard]] std::string html_case(const ProbeOutline& probe, const CaseRecord& row);
/// What the script puts into a fold when it is opened: machine code, PTX, samples, premises, counters, clock.
[[nodiscard]] std::string html_evidence(const PageContext& page, const CaseRecord& row);
/// The html_evidence() of all rows that open, for packed_data(): {"ids": [of the case], "pieces": [[of each case]]}.
/// The markup of a case is its pieces, joined. Pieces of one kind, next to each other, pack a quarter smaller than
/// whole rows.
[[nodiscard]] Json html_folds(const PageContext& page);
/// SASS and PTX of the case.
[[nodiscard]] std::string html_code(const CaseRecord& row);
/// A summary of its window, as a <section>.
[[nodiscard]] std::string html_window_card(const CaseRecord& row);
[[nodiscard]] std::string html_reason(const CaseRecord& row);
/// "The same machine code as" another row that is also a fold; usually empty.
[[nodiscard]] std::string html_same(const PageContext& page, const CaseRecord& row);

/// For tables of cases: the heads of columns, and the caption with what all cases share.
[[nodiscard]] std::string column_head(const std::string& name, const std::string& unit, bool with_interval = false);
[[nodiscard]] std::string html_caption(const ProbeOutline& probe);
/// "cycles" if every published estimate of that name has this unit, else empty.
[[nodiscard]] std::string shared_unit(const ProbeOutline& probe, const std::string& estimate);
/// Whether cells of that estimate hold an interval in addition to the number.
[[nodiscard]] bool has_interval(const ProbeOutline& probe, const std::string& estimate);
/// A cell with GB/s; a dash if the case has none.
[[nodiscard]] std::string gigabytes_cell(const ProbeOutline& probe, const CaseRecord& row, const std::string& estimate,
                                         std::string_view css_class);
[[nodiscard]] std::string metric_unit(const Record& record, const std::string& metric);

/// `<tag class="css_class">text</tag>` with the text escaped; without the attribute if the class is empty.
[[nodiscard]] std::string element(std::string_view tag, std::string_view css_class, std::string_view text);
/// `<div class="scroll"><table class="css">`: a head, in which names of columns of numbers begin with '#', and the
/// rows.
[[nodiscard]] std::string scroll_table(const std::string& label, std::string_view css,
                                       const std::vector<std::string>& heads, const std::string& rows);
/// A row of plain text.
[[nodiscard]] std::string text_row(const std::vector<std::string>& cells);
/// A link to a case on this page; its text is the case's id.
[[nodiscard]] std::string case_link(const CaseRecord& row);
/// A sentence if the measured latency and the encoded dependency distance of a measured case disagree.
[[nodiscard]] std::optional<std::string> encoded_finding(const CaseRecord& row);
/// The badge for a row's outcome: "verified", "rejected", ...
[[nodiscard]] std::string badge(const CaseRecord& row);

[[nodiscard]] std::string family_anchor(std::string_view family);
[[nodiscard]] std::string probe_anchor(std::string_view probe);

}  // namespace warpclock
