#pragma once

#include <string>
#include <vector>

#include "base/json/json_text.hpp"

namespace warpclock {

// A sheet is a page of text and tables: {"sections": [{"id", "title", "notes": [text], "list": [text],
// "facts": [[name, value]], "tables": [table], "folded": {"summary", "table"}}]}. assets/sheet.js shows it.

/// A cell: text, or text with a link, and a smaller text below it.
[[nodiscard]] Json sheet_cell(const std::string& text, const std::string& href = {}, const std::string& note = {});

/// `heads`: titles of columns; those of numbers begin with '#', and a unit follows after '|': "#latency|cycles". Rows
/// are arrays of cells. A `plain` table wraps its texts; others show the rows in view and sort, filter and copy.
[[nodiscard]] Json sheet_table(const std::string& label, const std::vector<std::string>& heads, Json rows,
                               bool plain = false);

[[nodiscard]] Json sheet_section(const std::string& id, const std::string& title,
                                 const std::vector<std::string>& notes = {});

}  // namespace warpclock
