#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace warpclock
