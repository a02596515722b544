#pragma once

#include <string>

#include "base/json/json_text.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"
#include "report/sections/page_place.hpp"

namespace warpclock {

/// "NVIDIA H200, memory".
[[nodiscard]] std::string page_title(const Record& record, const PagePlace& place);

/// report.html. Pure: the same record gives the same bytes.
[[nodiscard]] std::string render_suite(const Record& record, const PagePlace& place = {});

/// [[name, text], ...]: the GPU's sizes, clocks and board, and the pages that were not measured on it.
[[nodiscard]] Json device_facts(const DeviceFacts& device, const std::string& measured_clock, PagePlace place);

/// What a page of a suite says that is not in its record: answers, features in words, causes of variation, published
/// values, plateaus, maps and layouts by probe; findings by row; the drawing of the memory system, and the tables of
/// tensor cores, hand-offs and pipelines.
[[nodiscard]] Json suite_extras(const Record& record, const PagePlace& place);

// The parts of it; null if the record has none of their numbers.
[[nodiscard]] Json probe_words(const Record& record, const ProbeOutline& probe);
[[nodiscard]] Json published_words(const Record& record, const std::string& probe);
[[nodiscard]] Json picture_words(const Record& record);
[[nodiscard]] Json tensor_words(const Record& record);
[[nodiscard]] Json handoff_words(const Record& record);
[[nodiscard]] Json pipeline_words(const Record& record);

}  // namespace warpclock
