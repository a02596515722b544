#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// What to compile to: machine code of `arch`, or, for a GPU that NVRTC does not know, PTX that the driver links.
struct Target {
  Arch arch;
  bool is_ptx = false;

  bool operator==(const Target&) const = default;
};

struct CompileRequest {
  std::string unit;                                          ///< the translation unit, or the PTX module
  std::vector<std::pair<std::string, std::string>> headers;  ///< path below probes/, text
  Target target;
  std::string name = "generated.cu";  ///< of the unit, in messages and line information
  std::vector<std::string> options;   ///< in addition to compile_options()
  bool line_info = false;             ///< adds .loc lines to PTX, and what they say to cubins; changes no instruction
  std::chrono::milliseconds limit{60000};
  std::int64_t memory = std::int64_t{8} << 30;  ///< bytes of address space that the compiler may take
  std::string nvcc = {};  ///< path of nvcc, to compile the file `name` (without `unit` and `headers`) instead of NVRTC
  std::string folder = {};  ///< where nvcc puts its temporary files
};

struct Compilation {
  enum class Status { Done, Failed, Cancelled, Died };
  Status status = Status::Failed;
  std::string image;                 ///< cubin, or PTX for a PTX target
  std::string ptx;                   ///< also present if only ptxas failed
  std::string log;                   ///< what the compiler said; if it died, how
  std::vector<std::string> headers;  ///< their paths below probes/
};

/// The first error of a failed compilation as "compile-error", with file and line in `place`. For an error of ptxas
/// these come from the PTX, if the compilation had `line_info`. "compiler-died" if the compiler ended itself.
[[nodiscard]] Error compile_error(const Compilation& compilation);

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
