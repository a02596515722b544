#pragma once

#include <string>
#include <vector>

#include "base/json/json_writer.hpp"
#include "inspect/inspection.hpp"
#include "predict/prediction.hpp"
#include "record/outline.hpp"
#include "record/record.hpp"

namespace warpclock {

/// What a page says of a table that is not in its record: names, counts, the comparison with the guide, and for each
/// row its cells as text, its labels and the window of its rate; and which numbers are no comparison with those of
/// `first`, the first table of the page. Both must be rounded.
[[nodiscard]] Json instruction_words(const Record& table, const Record& first);

/// The same: for each form its latencies and its interval; and counts.
[[nodiscard]] Json machine_words(const Record& table);

/// What pages show of kernels in a file: their facts, loops and listings; and of predictions.
[[nodiscard]] Json inspection_words(const Inspection& inspection);
[[nodiscard]] Json prediction_words(const std::vector<Prediction>& predictions);

/// What was predicted and measured, and on which GPU. It names the study if there is one only.
[[nodiscard]] std::string kernel_title(const Record& table);

/// What a page shows of each row, and the errors of all.
[[nodiscard]] Json kernel_words(const Record& table);

/// [[name, text], ...]: the GPU's sizes, clocks and board.
[[nodiscard]] Json device_facts(const DeviceFacts& device, const std::string& measured_clock);

/// What a page carries of a record: without the middle of long PTX, and without the cells of relations that no table of
/// it shows. Pages of suites alone have what may vary.
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
