#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "compile/compiler/nvrtc.hpp"

namespace warpclock {

/// The folders of headers that belong to NVRTC, for `#include <cuda_fp16.h>` and `#include <cuda/barrier>`: those of
/// the CUDA Toolkit and of libcu++. Each is sought beside the loaded NVRTC, then in `include` of toolkit_folders(),
/// then where it was when this program was built. One that is nowhere is left out.
[[nodiscard]] std::vector<std::string> toolkit_includes();

/// The headers of the C and C++ library that libcu++ has for device code, as NVRTC takes them (name, text): `cstdint`
/// includes `cuda/std/cstdint`, whose names are then in `std` too.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& standard_headers();

/// Whether a folder of toolkit_includes() has this header.
[[nodiscard]] bool is_toolkit_header(const std::string& name);

/// Which of NVIDIA's packages has the header that a compiler could not open ("nvidia-cuda-cccl"); empty if none is
/// known to.
[[nodiscard]] std::string_view package_of_header(std::string_view compiler_says);

/// Path of nvcc. Searched in this order: $WARPCLOCK_NVCC, the one found when this program was built, bin/ of
/// toolkit_folders(), PATH. Error "nvcc" with the fix.
[[nodiscard]] Expected<std::string> find_nvcc();

/// Compiles the device code of the file `request.name` by `request.nvcc`, for the compiler process
/// (compile/compiler/compiler.hpp) alone. nvcc starts a host compiler and reads headers of the host, so host code does
/// not matter. Temporary files, and the result before it is read, are in `request.folder`.
[[nodiscard]] Compilation compile_by_nvcc(const CompileRequest& request);

/// How somebody's CUDA C++ is compiled.
struct SourceFile {
  std::filesystem::path path;
  std::string text;  ///< its content
  Target target;
  std::vector<std::string> include;                           ///< folders of headers, apart from its own
  std::vector<std::string> defines;                           ///< macros, as "SIZE=32"
  std::chrono::milliseconds limit = std::chrono::minutes(1);  ///< for each compiler
};

struct CompiledSource {
  std::string image;  ///< cubin, or PTX for a PTX target
  bool by_nvcc = false;
};

/// Compiles a file by NVRTC, with the headers of the CUDA Toolkit and what libcu++ has of the C++ library; if NVRTC
/// refuses it (host code, other headers), by nvcc, if that is here. Error "compile-error" with what the compiler said,
/// which compiler it was, and what to do; "compiler-died".
[[nodiscard]] Expected<CompiledSource> compile_file(const SourceFile& source);

}  // namespace warpclock
