#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "inspect/inspect.hpp"
#include "inspect/inspection.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// How far the machine code of a kernel is that of another. Control: stall counts, yield hints and scoreboards alone.
/// Operands: all opcodes are the same, in the same order.
enum class CodeDifference { Same, Control, Operands, Instructions, OnlyBefore, OnlyAfter };

/// An instruction of each at one address, with its control field; empty where a kernel has ended.
struct DifferingInstruction {
  std::int64_t address = 0;
  std::string before, after;
};

struct KernelDifference {
  std::optional<std::size_t> before, after;  ///< in the inspections; nothing if there is no such kernel
  CodeDifference difference = CodeDifference::Same;
  int differing = 0;  ///< addresses with another instruction, or with one in one of the two alone
  std::optional<DifferingInstruction> first;  ///< of those that differ as `difference` says
};

/// Two builds of the same kernels.
struct CodeComparison {
  Inspection before, after;
  std::vector<KernelDifference> kernels;  ///< by the names of `before`, then those that only `after` has
};

/// A number or a word of a kernel in both builds; null where one has none.
// NOLINTNEXTLINE(bugprone-exception-escape): the check takes the moves of JSON for functions that throw.
struct Change {
  std::string subject;  ///< "kernel", "loop 0", "loop 1 and 2", "pipe", "opcode", "line"
  std::string fact;     ///< "registers", "FFMA", "gemm.cu:12"
  Json before, after;
};

/// A file that is compared, and what messages call it.
struct ComparedFile {
  std::string name;
  const LoadedFile& file;
};

/// Kernels and functions are paired by their symbols; of the rest those whose readable names are the same up to
/// arguments, if each file has exactly one, or if only one of each file is meant by `options.kernel`. Error "kernel" if
/// one file has none. Pure.
[[nodiscard]] Expected<CodeComparison> compare_code(const ComparedFile& before, const ComparedFile& after,
                                                    const InspectOptions& options);

/// "softmax" of "void (anonymous namespace)::softmax<float, 4>(float*)".
[[nodiscard]] std::string bare_name(const std::string& readable);

/// What differs between two builds of a kernel: what it needs, its loops, its instructions by pipe and opcode, and by
/// source line where both builds have lines. Loops are paired by their order if both have as many of the same depths,
/// else by their source lines.
[[nodiscard]] std::vector<Change> changes_of(const KernelInspection& before, const KernelInspection& after);

[[nodiscard]] bool all_same(const CodeComparison& comparison);

/// What the two builds are called.
struct BuildNames {
  std::string before = "before", after = "after";
};

/// Adds the tables `kernels` and `changes`. `target` goes into a column of both, unless it is empty.
void add_tables(Sheet& sheet, const CodeComparison& comparison, const BuildNames& names, const std::string& target);

[[nodiscard]] Sheet difference_sheet(const CodeComparison& comparison);

/// One PTX module, assembled by ptxas (before) and by the driver (after).
struct JitTarget {
  std::string target;                   ///< of the PTX: "sm_80"
  std::string ptxas_arch, driver_arch;  ///< of the machine code: "sm_90a"
  std::vector<double> ptxas_ms;         ///< each start of ptxas, in milliseconds
  std::vector<double> jit_ms, load_ms;  ///< each load of the PTX and of the cubin that came of it, in milliseconds
  std::string refused;                  ///< why the driver did not assemble it; empty if it did
  CodeComparison code;
};

struct JitComparison {
  std::string file, gpu, driver, ptxas;  ///< driver, ptxas: versions
  std::vector<JitTarget> targets;
};

/// Whether the driver assembled all targets to the machine code of ptxas.
[[nodiscard]] bool all_same(const JitComparison& comparison);

[[nodiscard]] Sheet jit_sheet(const JitComparison& comparison);

}  // namespace warpclock
