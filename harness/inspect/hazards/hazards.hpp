#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/sheet/sheet.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "inspect/flow_graph.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

/// The fewest cycles that must lie between two issues.
struct MinimumStall {
  int cycles = 0;    ///< the largest of the GPUs
  std::string row;   ///< of the record: "dependences/IADD3->FFMA.A"
  bool own = false;  ///< the row has both instructions; else others that stand for their pipes
  bool sure = true;  ///< it is enough: all rows of these pipes agree; else it is the lowest
};

/// A kind of instruction: what its text is without registers and numbers.
struct InstructionKind {
  std::string key, name;   ///< "@PT FFMA.FTZ R#, R#, R#, R#", "FFMA.FTZ"
  std::string_view group;  ///< what it shares its times with: "alu", "half"; empty if no row says
  std::string writer;      ///< the same as a producer; on the tensor pipe the form whose rows are those of its own
  std::optional<double> interval;  ///< cycles between two issues of one warp
  bool scoreboard = false;         ///< the record says that a scoreboard signals its results
};

/// What records of GPUs say about how soon a result of a fixed latency may be read. Nothing is guessed: what has no row
/// has no number. The row of both instructions comes first, then rows of others that stand for their pipes
/// (`dependences` of machine.json).
class MinimumStalls {
 public:
  /// GPUs of one architecture. They must outlive this.
  explicit MinimumStalls(std::span<const Machine> machines);

  /// Whether there is any row.
  [[nodiscard]] bool empty() const { return by_names_.empty(); }
  /// "NVIDIA H100 80GB HBM3, NVIDIA H200"
  [[nodiscard]] std::string gpus() const;

  [[nodiscard]] std::size_t kind_of(const Instruction& instruction);
  [[nodiscard]] const InstructionKind& kind(std::size_t index) const { return kinds_[index]; }

  /// From the issue of what writes a register of this file until that of what reads it in a source operand, counted as
  /// Effects does. Null if no row says.
  [[nodiscard]] const MinimumStall* between(std::size_t producer, RegisterFile file, std::size_t consumer,
                                            std::size_t operand);
  /// After how many cycles every reader that has a row reads the result in a vector register. Nothing if none has.
  [[nodiscard]] std::optional<int> settled(std::size_t producer) const;

 private:
  struct Known {
    double cycles = 0;
    std::string row;
  };
  using Rows = std::vector<std::vector<Known>>;  ///< by machine

  void read(std::size_t machine);
  void add(Rows& rows, std::size_t machine, const Leaf& leaf) const;
  [[nodiscard]] std::string_view pipe_by_record(const std::string& key, const std::string& opcode) const;
  [[nodiscard]] std::string_view group_of(const Instruction& instruction, const std::string& key) const;
  [[nodiscard]] std::string writer_of(const InstructionKind& kind) const;
  [[nodiscard]] bool same_own_rows(const std::string& key, const std::string& other) const;
  [[nodiscard]] std::optional<MinimumStall> find(const InstructionKind& producer, RegisterFile file,
                                                 const InstructionKind& consumer, std::size_t operand) const;

  std::span<const Machine> machines_;
  std::map<std::string, const Entry*, std::less<>> forms_;               ///< of the first machine that has the form
  std::map<std::string, std::string_view, std::less<>> pipe_of_opcode_;  ///< empty where its forms disagree
  std::map<std::string, bool, std::less<>> signals_of_opcode_;           ///< whether all of its forms do
  std::map<std::string, Rows, std::less<>> own_;       ///< "key operand" of a form that reads its own result
  std::map<std::string, Rows, std::less<>> by_names_;  ///< "IADD3->FFMA.A"
  std::map<std::string, Rows, std::less<>> by_pipes_;  ///< "alu->fma", "alu->tensor.A"
  std::map<std::string, std::string> tensor_writers_;  ///< names of producers on the tensor pipe, with their keys
  std::vector<InstructionKind> kinds_;
  std::map<std::string, std::size_t, std::less<>> index_of_;  ///< by key and predicates
  std::map<std::tuple<std::size_t, RegisterFile, std::size_t, std::size_t>, std::optional<MinimumStall>> found_;
};

/// An instruction of a listing.
struct HazardPlace {
  std::int64_t address = 0;
  std::string text;
};

[[nodiscard]] HazardPlace hazard_place(const Instruction& instruction);

/// An instruction that issues too early on some path.
struct Hazard {
  /// "early-read": before a result of a fixed latency is there; "no-wait": it reads a result without waiting for its
  /// scoreboard; "no-scoreboard": it reads one for which no scoreboard was set; "overwrites-result": before the result
  /// has arrived; "overwrites-source": before it was read.
  std::string kind;
  HazardPlace at, producer;
  std::string reg;                ///< "R4"
  int cycles = 0;                 ///< between the two issues
  std::optional<int> needed;      ///< early-read
  std::string row;                ///< early-read: of the record
  std::optional<int> scoreboard;  ///< the one that signals it
};

/// A place where a result of a fixed latency is awaited longer than needed.
struct SlackPlace {
  HazardPlace at, producer;
  int cycles = 0, needed = 0;  ///< between the two issues
  std::size_t before = 0;      ///< index of the instruction whose stall count can be lowered
  int slack = 0;               ///< cycles by which it can
  std::string row;
};

/// The slack of what is in a loop and in no inner one, or in no loop.
struct LoopSlack {
  std::optional<int> loop;
  std::int64_t begin = 0, end = 0;  ///< addresses; see LoopFacts
  int instructions = 0;
  int issue_cycles = 0;            ///< sum of the encoded stall counts
  int slack = 0;                   ///< cycles of them
  std::vector<SlackPlace> places;  ///< largest slack first
};

/// Dependences for which no row says how many cycles they need.
struct NotChecked {
  std::string what;  ///< "ISETP to a guard", "UIADD3 to IADD3"
  int count = 0;
};

struct KernelHazards {
  std::string name, readable;
  int instructions = 0;
  int unreached = 0;                ///< instructions to which no path leads that is known
  int by_stalls = 0;                ///< results that are read after a number of cycles, and were checked
  int by_scoreboards = 0;           ///< instructions that set a scoreboard
  int not_checked = 0;              ///< results that are read after a number of cycles, and have no row
  std::vector<NotChecked> unknown;  ///< of these, most first
  std::vector<Hazard> hazards;      ///< by address
  std::vector<LoopSlack> slack;     ///< by loop, and at the end of what is in none
  bool too_complex = false;         ///< whether it was given up
  bool calls = false;               ///< whether it calls, or jumps to a place that is not known
};

struct HazardReport {
  std::string file, kind, arch;
  std::string gpus;  ///< whose records: "NVIDIA H100 80GB HBM3, NVIDIA H200"
  std::vector<KernelHazards> kernels;
};

/// Checks one kernel. Every path through its control flow is followed to the fixed point, as if nothing but stall
/// counts delayed it.
[[nodiscard]] KernelHazards kernel_hazards(const LoadedKernel& kernel, const Arch& arch, MinimumStalls& stalls);

/// Checks kernels whose name has `word` in it. Errors: "kernel" if there is none; "unsupported-arch" if no record has
/// minimum stall counts of its architecture.
[[nodiscard]] Expected<HazardReport> find_hazards(const std::string& name, const LoadedFile& file,
                                                  std::span<const Machine> machines, const std::string& word);

/// The reader issues at least `needed` cycles after the producer, and `cycles` after it as the code is.
struct IssueNeed {
  std::size_t producer = 0, reader = 0;  ///< indices in the listing
  int cycles = 0, needed = 0;
  std::string row = {};  ///< of a record; empty: it only holds stall counts where they are
};

/// A block in which the result of a producer in another block, or in the trip before, may still be awaited.
struct PassedBlock {
  std::size_t producer = 0, block = 0;
};

/// By how many cycles the stall counts can be lowered together so that all needs hold. Only those right before a reader
/// of a result that is awaited longer than needed are lowered, from the first in the listing on. `distances` are the
/// cycles from each instruction to the next.
[[nodiscard]] std::vector<LoopSlack> slack_of(const Listing& listing, const FlowGraph& graph,
                                              std::span<const int> distances, std::vector<IssueNeed> needs,
                                              std::span<const PassedBlock> passed);

/// A cubin whose stall counts were lowered.
struct WithoutSlack {
  std::string image;
  int lowered = 0, cycles = 0;  ///< stall counts, and by how many cycles together
};

/// The cubin of a file with the stall counts of these kernels lowered by their slack. Kernels that call stay as they
/// are: nobody knows what is under way where a call returns. `report` is of `file`. Errors: "kernel" if its kernels are
/// in several cubins, "elf" if the code is not where it was listed.
[[nodiscard]] Expected<WithoutSlack> without_slack(const LoadedFile& file, const HazardReport& report);

/// For people a table for each kernel: its hazards, what was checked, and the slack of each loop. For programs
/// `kernels`, `hazards`, `slack`, `places` of slack, and `not_checked`.
[[nodiscard]] Sheet hazard_sheet(const HazardReport& report);

/// "0x0250 FFMA R1, R2, R3, R1 reads R2 3 cycles after 0x0240 IADD3 R2, R4, R5, RZ; 5 are needed
/// (dependences/IADD3->FFMA.A)"
[[nodiscard]] std::string hazard_text(const Hazard& hazard);

}  // namespace warpclock
