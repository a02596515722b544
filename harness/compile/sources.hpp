#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/case.hpp"

namespace warpclock {

/// Device code by path below probes/: "probe.cuh", "shuffle/latency.cu". Includes name that path too:
/// `#include "shuffle/shfl.cuh"`.
using Sources = std::map<std::string, std::string>;

/// One translation unit that holds every repeat count of every given case, each kernel in a namespace of its own, with
/// N, KERNEL, WARPS and the sweep's macros defined around an include of the probe. Kernel symbols are
/// `kernel_symbol(case index, n)`.
///
/// Macros: N is the repeat count, KERNEL the symbol, WARPS the warps per block (unless a parameter is called so). A
/// parameter's macro is its name in upper case. An integer is its value, in parentheses when negative. A word is a
/// string literal, and a second macro, `word_macro(name, word)`, is 1.
///
/// Macros that neither the probe nor anything it includes names are left out, so that cases which differ in them alone
/// (in their launch, mostly) are one kernel; where `sources` lacks the probe or pastes names together, none is.
///
/// Every kernel includes the probe again, so a header beside it must hold no `#pragma once` (probe.cuh alone does: it
/// is included before the first namespace).
[[nodiscard]] std::string translation_unit(const std::vector<const Case*>& cases, const Sources& sources);
[[nodiscard]] std::string kernel_symbol(std::size_t index, std::int64_t n);

/// NAME_word, where each run of characters of the word that no identifier may hold is one underscore and such a run at
/// the front is dropped: (mode, bfly) is MODE_bfly, (hint, L2::evict_last) HINT_L2_evict_last, (trans, .trans)
/// TRANS_trans, (trans, "") TRANS_.
[[nodiscard]] std::string word_macro(std::string_view name, std::string_view word);

/// Paths of probe.cuh, the kernel and all that they include, sorted. Error "compile-error" at the include that names
/// nothing in `sources`: no file outside of them is ever read.
[[nodiscard]] Expected<std::vector<std::string>> included_sources(const std::string& kernel, const Sources& sources);

}  // namespace warpclock
