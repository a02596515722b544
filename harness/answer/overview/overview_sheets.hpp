#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answer/overview/reported_gpu.hpp"
#include "base/json/json_writer.hpp"

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

}  // namespace warpclock
