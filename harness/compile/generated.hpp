#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler/compilation.hpp"
#include "compile/sources.hpp"
#include "plan/case.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Adds the kernels of an experiment to the sources, one PTX text for each repeat count. Returns the `kernel` of the
/// case that uses them; equal kernels have equal names.
[[nodiscard]] std::string generate(const PtxInstruction& instruction, const Experiment& experiment,
                                   const std::vector<std::int64_t>& repeats, Sources& sources);

/// Whether `kernel` was returned by generate(), as opposed to a probe's path.
[[nodiscard]] bool is_generated(std::string_view kernel);

/// The path in the sources of the kernel for one repeat count.
[[nodiscard]] std::string generated_source(const std::string& kernel, std::int64_t n);

/// One PTX module that holds the kernel of every case and repeat count as kernel_symbol(its index in `cases`, n). Error
/// "compile-error" if the sources lack one.
[[nodiscard]] Expected<std::string> ptx_module(const std::vector<const Case*>& cases, const Sources& sources,
                                               const Target& target);

}  // namespace warpclock
