#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/parameters.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A parameter's value as a reader writes it: "1 GiB" for footprint=1073741824, "32 KiB" for stream_kb=32. Which
/// parameters are bytes is in assets/parameters.yaml; the values of others are unchanged. Four digits: the case's id
/// has all of them.
[[nodiscard]] std::string parameter_text(std::string_view name, const Value& value);

/// The name without the unit that parameter_text() adds: "stream" for stream_kb.
[[nodiscard]] std::string parameter_name(const std::string& name);

/// The label of an axis of numbers: "footprint, B", "stream, KiB", "warps".
[[nodiscard]] std::string parameter_label(const std::string& name);

/// "warps=4 footprint=1 GiB"; only the named parameters.
[[nodiscard]] std::string parameters_text(const CaseRecord& row, const std::vector<std::string>& names);

/// The unit in the words of a page: nothing for a share ("1"), "/clk/SM" for "1/clk/SM".
[[nodiscard]] std::string unit_text(const std::string& unit);

}  // namespace warpclock
