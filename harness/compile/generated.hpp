#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/nvrtc.hpp"
#include "compile/sources.hpp"
#include "plan/case.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Writes the kernels of an experiment, one PTX text for each repeat count, among the sources. Returns what a case has
/// as its `kernel`; the same kernels have the same name.
[[nodiscard]] std::string generate(const PtxInstruction& instruction, const Experiment& experiment,
                                   const std::vector<std::int64_t>& repeats, Sources& sources);

/// Whether `kernel` is what generate() returned, and not a probe's path.
[[nodiscard]] bool is_generated(std::string_view kernel);

/// Where the sources hold the kernel of one repeat count.
[[nodiscard]] std::string generated_source(const std::string& kernel, std::int64_t n);

/// One PTX module with the kernel of every case and repeat count as kernel_symbol(its index in `cases`, n). Error
/// "compile-error" where the sources lack one.
[[nodiscard]] Expected<std::string> ptx_module(const std::vector<const Case*>& cases, const Sources& sources,
                                               const Target& target);

}  // namespace warpclock
