#pragma once

#include <string>

#include "record/outline.hpp"
#include "record/page_place.hpp"
#include "record/record.hpp"

namespace warpclock {

/// The pieces that render_markdown puts together.
[[nodiscard]] std::string markdown_header(const Record& record, const PagePlace& place);
/// The memory system as a table; empty for a result without a number of it.
[[nodiscard]] std::string markdown_memory(const Record& record);
/// Every shape and type of the tensor cores as a table; empty for a result without any.
[[nodiscard]] std::string markdown_tensor(const Record& record);
/// How much of one kind of instruction is hidden behind another, as a table; empty for a result without any.
[[nodiscard]] std::string markdown_pairs(const Record& record);
/// What a hand-over takes, by mechanism, as a table; empty for a result without any.
[[nodiscard]] std::string markdown_handoffs(const Record& record);
/// What stages hide of a copy's latency, as a table; empty for a result without any.
[[nodiscard]] std::string markdown_pipelines(const Record& record);
/// What others have published of what that probe found, beside it (empty: of what the driver states); empty for most.
[[nodiscard]] std::string markdown_published(const Record& record, const std::string& probe);
[[nodiscard]] std::string markdown_findings(const Record& record);
/// The probe's question, its numbers, its premises, and the reasons of what is not published.
[[nodiscard]] std::string markdown_probe(const Record& record, const ProbeOutline& probe);
/// One row a case, or beyond `most_rows` the chart's x across and the rest down.
[[nodiscard]] std::string markdown_numbers(const ProbeOutline& probe);
/// Which element of a matrix is where, a table for all cases that found the same; or nothing.
[[nodiscard]] std::string markdown_layouts(const ProbeOutline& probe);

constexpr std::size_t most_rows = 12;

/// "16 SHFL.BFLY, 1 LOP3.LUT": what the window holds at its smallest repeat count, clock reads left out, the most
/// frequent first.
[[nodiscard]] std::string opcode_summary(const WindowRecord& window);

}  // namespace warpclock
