#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "plan/plan.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// Device code by path below probes/: "probe.cuh", "shuffle/latency.cu". Includes use the same paths: `#include
/// "shuffle/shfl.cuh"`.
using Sources = std::map<std::string, std::string>;

/// One translation unit that holds every repeat count of every given case. Each kernel is in its own namespace, where
/// N, KERNEL, WARPS and the sweep's macros are defined around an include of the probe. Kernel symbols are
/// `kernel_symbol(case index, n)`.
///
/// Macros: N is the repeat count, KERNEL the symbol, WARPS the warps per block (unless a parameter has that name). A
/// parameter's macro is its name in upper case. An integer is its value, in parentheses if negative. A word is a string
/// literal, and a second macro, `word_macro(name, word)`, is 1.
///
/// Macros that neither the probe nor anything it includes names are left out, so that cases that differ only in them
/// (mostly in their launch) share a kernel. If `sources` lacks the probe, or the probe pastes names together, no macro
/// is left out.
///
/// Every kernel includes the probe again, so a header other than probe.cuh must not have a `#pragma once`; probe.cuh
/// and foreign_headers() are included before the first namespace.
[[nodiscard]] std::string translation_unit(const std::vector<const Case*>& cases, const Sources& sources);
[[nodiscard]] std::string kernel_symbol(std::size_t index, std::int64_t n);

/// NAME_word, where each run of characters that no identifier may contain becomes one underscore, and such a run at the
/// front is dropped: (mode, bfly) is MODE_bfly, (hint, L2::evict_last) HINT_L2_evict_last, (trans, .trans) TRANS_trans,
/// (trans, "") TRANS_.
[[nodiscard]] std::string word_macro(std::string_view name, std::string_view word);

/// Paths of probe.cuh, the kernel and everything that they include, sorted. Error "compile-error" at an `#include "x"`
/// that is neither in `sources` nor a header of the CUDA Toolkit.
[[nodiscard]] Expected<std::vector<std::string>> included_sources(const std::string& kernel, const Sources& sources);

/// What these kernels include that is not in `sources`, each once: headers of the CUDA Toolkit ("cuda_fp16.h") and of
/// the C++ library ("cstdint"). Whether a condition would leave an include out is not looked at.
[[nodiscard]] std::vector<std::string> foreign_headers(const std::vector<std::string>& kernels, const Sources& sources);

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
