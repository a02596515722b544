#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/outline.hpp"
#include "report/record.hpp"

namespace warpclock {

/// The pieces that render_html puts together; each is a fragment of well-formed markup with everything foreign escaped.
/// What a page needs to know beyond the case at hand.
struct PageContext {
  const Record& record;
  std::vector<FamilyOutline> families;
  /// The first case with the same window and PTX, which shows them for all others; itself for most.
  std::map<const CaseRecord*, const CaseRecord*> shown_by = {};
};

[[nodiscard]] std::string html_header(const PageContext& page);
[[nodiscard]] std::string html_glance(const PageContext& page);
[[nodiscard]] std::string html_findings(const PageContext& page);
[[nodiscard]] std::string html_unpublished(const PageContext& page);
[[nodiscard]] std::string html_reading(const PageContext& page);

/// `index` numbers the probes of the page, for ids inside charts.
[[nodiscard]] std::string html_probe(const PageContext& page, const ProbeOutline& probe, std::size_t index);
[[nodiscard]] std::string html_charts(const ProbeOutline& probe, std::size_t index);
/// A <tbody>: the row and, folded away, everything that is known of the case.
[[nodiscard]] std::string html_case(const PageContext& page, const ProbeOutline& probe, const CaseRecord& row);
/// SASS and PTX of the case, or where they are shown.
[[nodiscard]] std::string html_window(const PageContext& page, const CaseRecord& row);
/// The folded part: window, PTX, samples, premises, counters, clock.
[[nodiscard]] std::string html_evidence(const PageContext& page, const CaseRecord& row);

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
