#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/outline.hpp"
#include "record/page_place.hpp"
#include "record/record.hpp"
#include "record/variation.hpp"

namespace warpclock {

/// The pieces that render_html puts together; each is a fragment of well-formed markup with everything foreign escaped.
/// What a page needs to know beyond the case at hand.
struct PageContext {
  const Record& record;
  Variations variations;
  std::vector<FamilyOutline> families;
  /// Of folds, the first with the same window and PTX, which shows them for all others; itself for most.
  std::map<const CaseRecord*, const CaseRecord*> shown_by = {};
  PagePlace place = {};
};

/// "NVIDIA H200, memory".
[[nodiscard]] std::string page_title(const Record& record, const PagePlace& place);

[[nodiscard]] std::string html_header(const PageContext& page);
/// The drawing of the memory system; empty for a result without a number of it.
[[nodiscard]] std::string html_memory(const PageContext& page);
/// Every shape and type of the tensor cores; empty for a result without any.
[[nodiscard]] std::string html_tensor(const PageContext& page);
/// How much of one kind of instruction is hidden behind another, for all pairs; empty for a result without any.
[[nodiscard]] std::string html_pairs(const PageContext& page);
/// What a hand-over takes, by mechanism; empty for a result without any.
[[nodiscard]] std::string html_handoffs(const PageContext& page);
/// What stages hide of a copy's latency, measured and by a model; empty for a result without any.
[[nodiscard]] std::string html_pipelines(const PageContext& page);
/// What others have published of what that probe found, beside it (empty: of what the driver states); empty for most.
[[nodiscard]] std::string html_published(const Record& record, const std::string& probe);
[[nodiscard]] std::string html_glance(const PageContext& page);
[[nodiscard]] std::string html_findings(const PageContext& page);
[[nodiscard]] std::string html_unpublished(const PageContext& page);
[[nodiscard]] std::string html_reading(const PageContext& page);

/// `index` numbers the probes of the page, for ids inside charts.
[[nodiscard]] std::string html_probe(const PageContext& page, const ProbeOutline& probe, std::size_t index);
[[nodiscard]] std::string html_charts(const ProbeOutline& probe, std::size_t index);
/// A map of the values that each place (mostly: SM) gave, one row a case, or the groups that it falls into; or nothing.
[[nodiscard]] std::string html_places(const ProbeOutline& probe, std::size_t index);
/// Which element of a matrix is where, a picture for all cases that found the same; or nothing.
[[nodiscard]] std::string html_layouts(const ProbeOutline& probe);
/// Whether its cases are points of curves, whose machine code stands below their table, once, and whose samples are in
/// result.json alone. Other cases are folds.
[[nodiscard]] inline bool is_curve(const ProbeOutline& probe) { return !probe.probe.along.empty(); }
/// The table of a probe's cases with what stands below it.
[[nodiscard]] std::string html_curve_cases(const PageContext& page, const ProbeOutline& probe);

/// A <tbody>: the row and, folded away, its window.
[[nodiscard]] std::string html_case(const PageContext& page, const ProbeOutline& probe, const CaseRecord& row);
/// The window of a row as plain text, shortened, or a link to the row that shows it: what a fold holds without
/// JavaScript.
[[nodiscard]] std::string html_window(const PageContext& page, const CaseRecord& row);
/// What the script puts in a fold when it is opened: machine code, PTX, samples, premises, counters, clock.
[[nodiscard]] std::string html_evidence(const PageContext& page, const CaseRecord& row);
/// The evidence of all folds, in their order, as a deflated JSON array of markup in base64, in a <script>.
[[nodiscard]] std::string html_folds(const PageContext& page);
/// SASS and PTX of the case.
[[nodiscard]] std::string html_code(const CaseRecord& row);
/// What its window is made of, as a <section>.
[[nodiscard]] std::string html_window_card(const CaseRecord& row);
[[nodiscard]] std::string html_reason(const CaseRecord& row);
/// "The same machine code as" another row that is a fold too; empty for most.
[[nodiscard]] std::string html_same(const PageContext& page, const CaseRecord& row);

/// Of tables of cases: heads of columns, and the caption that says what all of them share.
[[nodiscard]] std::string column_head(const std::string& name, const std::string& unit, bool with_interval = false);
[[nodiscard]] std::string html_caption(const ProbeOutline& probe);
/// "cycles" when every published estimate of that name has it, else empty.
[[nodiscard]] std::string shared_unit(const ProbeOutline& probe, const std::string& estimate);
/// Whether cells of that estimate hold more than the number.
[[nodiscard]] bool has_interval(const ProbeOutline& probe, const std::string& estimate);
/// A cell of GB/s; a dash where the case has none.
[[nodiscard]] std::string gigabytes_cell(const ProbeOutline& probe, const CaseRecord& row, const std::string& estimate,
                                         std::string_view css_class);
[[nodiscard]] std::string metric_unit(const Record& record, const std::string& metric);

/// `<tag class="css_class">text</tag>` with the text escaped; no attribute when the class is empty.
[[nodiscard]] std::string element(std::string_view tag, std::string_view css_class, std::string_view text);
/// A link to a case of this page, showing its id.
[[nodiscard]] std::string case_link(const CaseRecord& row);
/// Where the measured latency and the encoded dependency distance of a measured case disagree, in words.
[[nodiscard]] std::optional<std::string> encoded_finding(const CaseRecord& row);
/// What a row's outcome looks like: "verified", "rejected", ...
[[nodiscard]] std::string badge(const CaseRecord& row);

[[nodiscard]] std::string family_anchor(std::string_view family);
[[nodiscard]] std::string probe_anchor(std::string_view probe);

}  // namespace warpclock
