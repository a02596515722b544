#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "base/words.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// How far the machine code of a kernel by the driver is that by ptxas.
enum class CodeDifference { Same, Control, Operands, Instructions, OnlyPtxas, OnlyDriver };

/// Control: stall counts, yield hints and scoreboards alone. Operands: all opcodes are the same, in the same order.
template <>
inline constexpr auto enum_words<CodeDifference> =
    std::to_array<std::string_view>({"same", "control", "operands", "instructions", "only-ptxas", "only-driver"});

/// What a kernel needs; 0 where there is no such kernel.
struct CodeNeeds {
  int instructions = 0;                           ///< that can be reached
  int registers = 0;                              ///< of a thread
  std::int64_t stack_bytes = 0, spill_bytes = 0;  ///< of a thread; loads and stores of spilled registers

  bool operator==(const CodeNeeds&) const = default;
};

/// How often an opcode occurs.
struct OpcodeCounts {
  std::string opcode;
  int ptxas = 0, driver = 0;

  bool operator==(const OpcodeCounts&) const = default;
};

/// An instruction of each at one address, with its control field; empty where a kernel has ended.
struct DifferingInstruction {
  std::int64_t address = 0;
  std::string ptxas, driver;

  bool operator==(const DifferingInstruction&) const = default;
};

struct KernelComparison {
  std::string kernel;
  CodeDifference difference = CodeDifference::Same;
  CodeNeeds ptxas, driver;
  int differing = 0;                  ///< addresses with another instruction, or with one in one of the two alone
  std::vector<OpcodeCounts> opcodes;  ///< those whose counts differ
  std::optional<DifferingInstruction> first;  ///< of those that differ as `difference` says

  bool operator==(const KernelComparison&) const = default;
};

/// One PTX module, assembled by ptxas and by the driver.
struct JitTarget {
  std::string target;                   ///< of the PTX: "sm_80"
  std::string ptxas_arch, driver_arch;  ///< of the machine code: "sm_90a"
  std::vector<double> ptxas_ms;         ///< each start of ptxas, in milliseconds
  std::vector<double> jit_ms, load_ms;  ///< each load of the PTX and of the cubin that came of it, in milliseconds
  std::string refused;                  ///< why the driver did not assemble it; empty if it did
  std::vector<KernelComparison> kernels;
};

struct JitComparison {
  std::string file, gpu, driver, ptxas;  ///< driver, ptxas: versions
  std::vector<JitTarget> targets;
};

/// All kernels and functions, by name. Error "kernel" if one file has none. Pure.
[[nodiscard]] Expected<std::vector<KernelComparison>> compare_code(const LoadedFile& ptxas, const LoadedFile& driver);

/// Whether the driver assembled all targets to the machine code of ptxas.
[[nodiscard]] bool all_same(const JitComparison& comparison);

[[nodiscard]] std::string jit_text(const JitComparison& comparison, const Style& style);

/// One JSON object. Ends with a newline.
[[nodiscard]] std::string to_json(const JitComparison& comparison);

}  // namespace warpclock
