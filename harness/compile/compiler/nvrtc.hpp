#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "compile/compiler/compilation.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// "13.0"; "none" if there is no NVRTC.
[[nodiscard]] std::string nvrtc_version();

/// Distinguishes installed NVRTC libraries even if both report 13.0: version, path, size and time of the library.
[[nodiscard]] const std::string& nvrtc_identity();

/// Ascending, as sm numbers: 75, 80, ... 121. Empty if there is no NVRTC.
[[nodiscard]] const std::vector<int>& supported_sms();

/// The newest architecture for which NVRTC can compile, without the `a`: its PTX runs on all later ones.
[[nodiscard]] Arch newest_known_arch();

/// How to compile for `arch`: machine code if NVRTC knows it, else PTX of the newest known architecture below it. Error
/// "unsupported-arch" if there is none, or for `a` before sm_90; "toolkit" if there is no NVRTC.
[[nodiscard]] Expected<Target> target_for(const Arch& arch);

/// The options that determine the machine code, without the include names.
[[nodiscard]] std::vector<std::string> compile_options(const Target& target);

/// Compiles in this process, which an error in the compiler or in the source may end: for the compiler process
/// (compile/compiler/compiler.hpp) alone.
[[nodiscard]] Compilation compile_by_nvrtc(const CompileRequest& request);

/// Path of the loaded library; empty if there is none.
[[nodiscard]] std::string nvrtc_path();

}  // namespace warpclock
