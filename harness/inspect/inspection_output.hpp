#pragma once

#include <string>
#include <vector>

#include "base/sheet/sheet.hpp"
#include "inspect/inspection.hpp"

namespace warpclock {

/// What a kernel engineer asks first: for each kernel its needs and how many blocks fit, for each loop one trip.
[[nodiscard]] Sheet inspection_sheet(const Inspection& inspection);

/// A table for each kernel, for each of its loops and for what is in no loop: names of facts, and what they say. The
/// first is the kernel's, with its name as title.
[[nodiscard]] std::vector<Table> kernel_tables(const KernelInspection& kernel);

/// "cubin, sm_90a, latencies of NVIDIA H200"
[[nodiscard]] std::string kind_text(const Inspection& inspection);
/// "0x01f0"
[[nodiscard]] std::string address_text(std::int64_t address);
/// "gemm.cu:12-30"; empty without lines.
[[nodiscard]] std::string lines_text(const std::vector<LineRange>& lines);

/// One JSON object. Ends with a newline.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// The JSON Schema of to_json().
[[nodiscard]] std::string inspection_schema();

}  // namespace warpclock
