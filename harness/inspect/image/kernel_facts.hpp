#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/elf.hpp"

namespace warpclock {

/// A variable of the module (`__device__`, or a table of the CUDA math library) whose address the loader writes into
/// constant bank 4.
struct ModuleVariable {
  std::uint32_t at = 0;  ///< where that bank has its address
  std::string name;
  std::int64_t bytes = 0;
  std::string contents;  ///< of a table of the math library, which nobody writes; empty: not known

  bool operator==(const ModuleVariable&) const = default;
};

/// By the relocations of .nv.constant4. Error "elf" if a name cannot be read.
[[nodiscard]] Expected<std::vector<ModuleVariable>> module_variables(const std::vector<ElfSection>& sections,
                                                                     std::size_t image_bytes);

/// Where a parameter is among those of its kernel, in bytes.
struct ParameterPlace {
  int at = 0, bytes = 0;
};

/// What a cubin states of a kernel, apart from its instructions.
struct KernelFacts {
  bool entry = false;             ///< a kernel, as opposed to a function that kernels call
  int registers = 0;              ///< of each thread; 0 if the cubin does not say
  int barriers = 0;               ///< named barriers of a block, barrier 0 included
  std::int64_t stack_bytes = 0;   ///< of each thread, without the functions that it calls
  std::int64_t shared_bytes = 0;  ///< static, without the part that the system reserves
  int parameter_bytes = 0;
  std::vector<ParameterPlace> parameters = {};  ///< in their order, where the cubin states them
  int most_threads = 0;                         ///< of a block, by __launch_bounds__ or .maxntid; 0 if any
  int required_threads = 0;                     ///< of a block, by __block_size__ or .reqntid; 0 if any
  int most_registers = 0;                       ///< that ptxas could use
  int cluster_blocks = 0;                       ///< by __cluster_dims__; 0 if there is none
  /// Addresses of the loads and stores that spill registers, sorted, where the cubin lists them (ptxas 13).
  std::optional<std::vector<std::uint64_t>> spills;
  /// Where a jump through a register may lead, by its address.
  std::map<std::uint64_t, std::vector<std::uint64_t>> indirect;
  std::vector<ModuleVariable> variables = {};  ///< of its module
};

/// The facts of each kernel, by its name, from the sections .nv.info, .nv.shared and .text. What the attributes mean is
/// stated by `nvdisasm` and `ptxas -v`; the test compares with the latter. The image is foreign input: error "elf".
[[nodiscard]] Expected<std::map<std::string, KernelFacts, std::less<>>> kernel_facts(std::string_view image);

}  // namespace warpclock
