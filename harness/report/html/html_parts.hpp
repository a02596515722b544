#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/record.hpp"
#include "report/html/html_page.hpp"

namespace warpclock {

// Fragments of well-formed markup in which all foreign text is escaped.

/// `<section id="findings"><h2>Findings</h2>`, to be closed.
[[nodiscard]] std::string section_head(std::string_view id, std::string_view heading);
/// The GPU's sizes, clocks and board, as a <dl>.
[[nodiscard]] std::string html_device_facts(const DeviceFacts& device);
/// `<tag class="css_class">text</tag>` with the text escaped; without the attribute if the class is empty.
[[nodiscard]] std::string element(std::string_view tag, std::string_view css_class, std::string_view text);
/// `<div class="scroll"><table class="css">`: a head, in which names of columns of numbers begin with '#', and the
/// rows.
[[nodiscard]] std::string scroll_table(const std::string& label, std::string_view css,
                                       const std::vector<std::string>& heads, const std::string& rows);
/// The badge for a row's outcome: "verified", "rejected", ...
[[nodiscard]] std::string badge(const CaseRecord& row);

[[nodiscard]] std::string family_anchor(std::string_view family);
[[nodiscard]] std::string probe_anchor(std::string_view probe);

}  // namespace warpclock
