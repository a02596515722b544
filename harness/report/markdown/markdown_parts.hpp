#pragma once

#include <string>

#include "record/outline.hpp"
#include "record/record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// The pieces that render_markdown() puts together.
[[nodiscard]] std::string markdown_header(const Record& record, const PagePlace& place);
/// The memory system as a table; empty if the result has none of its numbers.
[[nodiscard]] std::string markdown_memory(const Record& record);
/// Every shape and type of the tensor cores as a table; empty if the result has none.
[[nodiscard]] std::string markdown_tensor(const Record& record);
/// The cost of a hand-off by mechanism, as a table; empty if the result has none.
[[nodiscard]] std::string markdown_handoffs(const Record& record);
/// How much of a copy's latency pipeline stages hide, as a table; empty if the result has none.
[[nodiscard]] std::string markdown_pipelines(const Record& record);
/// Published values next to what that probe found; an empty `probe` means what the driver states. Usually empty.
[[nodiscard]] std::string markdown_published(const Record& record, const std::string& probe);
[[nodiscard]] std::string markdown_findings(const Record& record);
/// The probe's question, its numbers, its premises, and the reasons for numbers that are not published.
[[nodiscard]] std::string markdown_probe(const Record& record, const ProbeOutline& probe);
/// One row for each case, or for more than `most_rows` cases the chart's x across and the rest down.
[[nodiscard]] std::string markdown_numbers(const ProbeOutline& probe);
/// The position of each element of a matrix, one table for all cases with the same result; or nothing.
[[nodiscard]] std::string markdown_layouts(const ProbeOutline& probe);

constexpr std::size_t most_rows = 12;

/// "16 SHFL.BFLY, 1 LOP3.LUT": the opcodes of the window at its smallest repeat count, without clock reads, the most
/// frequent first.
[[nodiscard]] std::string opcode_summary(const WindowRecord& window);

}  // namespace warpclock
