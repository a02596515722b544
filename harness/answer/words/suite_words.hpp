#pragma once

#include <string>

#include "base/json/json_writer.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

/// [[name, text], ...]: the GPU's sizes, clocks and board.
[[nodiscard]] Json device_facts(const DeviceFacts& device, const std::string& measured_clock);

/// What a page carries of a record: without the middle of long PTX.
[[nodiscard]] Record shown_part(Record record);

/// What a page of a suite says that is not in its record: answers, features in words, causes of variation, published
/// values, plateaus, maps and layouts by probe; findings by row; the drawing of the memory system, and the tables of
/// tensor cores, hand-offs and pipelines.
[[nodiscard]] Json suite_extras(const Record& record);

// The parts of it; null if the record has none of their numbers.
[[nodiscard]] Json probe_words(const Record& record, const ProbeOutline& probe);
[[nodiscard]] Json published_words(const Record& record, const std::string& probe);
[[nodiscard]] Json picture_words(const Record& record);
[[nodiscard]] Json tensor_words(const Record& record);
[[nodiscard]] Json handoff_words(const Record& record);
[[nodiscard]] Json pipeline_words(const Record& record);

}  // namespace warpclock
