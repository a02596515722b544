#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/semantics.hpp"
#include "compile/build.hpp"
#include "compose/copies/body.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "plan/arch.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// A kernel in which the operands of a PTX instruction are ready before the opening clock read, with a hole and with
/// registers for the results of the copies.
struct Room {
  Hole hole;
  std::map<Element, std::vector<Register>> operands;  ///< low register first
  std::vector<int> scratch;                           ///< registers that nothing else uses, ascending
  std::vector<int> spare_predicates;                  ///< that the kernel uses, but not what they hold at the hole
};

/// Reads the listing of a kernel of Experiment::composed (ptx/experiment/kernel.hpp), whose code begins at byte `code`
/// of the image. Error "hole" if ptxas did not leave the operands in registers of their own.
[[nodiscard]] Expected<Room> room_of(const Listing& listing, const PtxInstruction& instruction, std::size_t code);

/// The body for a chain through the link. If the result of a copy cannot be the operand of the next one as it is, a
/// word at the end of the copy turns it into that: an addition of the loaded zero to the address, or a move between
/// registers and predicates. Error "compose" if no single word does so.
[[nodiscard]] Expected<Body> linked_body(Body body, const PtxInstruction& instruction, Link link,
                                         const KnownForms& forms);

/// The body of a copy: of the words of one instance, those that depend on an operand, or in a chain through the link on
/// its operand, and lead to its result. What these need from others is the same for all copies, and `before` has it.
/// Words that others may see (BodyWord::is_seen) are in each copy. All words are if the instruction reads no
/// operand. Error "compose" if no word depends on one.
[[nodiscard]] Expected<Body> own_words(Body body, std::optional<Link> link = std::nullopt);

/// When the words of copies issue: as early as they may, or so late that the result of each is there.
enum class Pace : std::uint8_t { Early, Patient };

/// The copies of a body for an experiment with the repeat count `n`: a chain through the experiment's link, or
/// independent copies. Distances inside a copy are those of ptxas. From copy to copy, a result of fixed latency is read
/// after the cycles that ptxas leaves for it (fields/form.hpp). Error "compose" if the registers of the room do not
/// suffice, or if a result would have to be moved to become the operand of the next copy.
[[nodiscard]] Expected<Filling> copies_of(const Body& body, const Room& room, const Experiment& experiment,
                                          std::int64_t n, Pace pace = Pace::Early);

/// Where to find the kernel of one repeat count of a trial.
struct TrialKernel {
  std::int64_t n = 0;
  std::string symbol, cubin_path;

  bool operator==(const TrialKernel&) const = default;
};

/// The compiled kernels of an experiment with Experiment::composed, and the body whose copies belong into them.
struct ComposeRequest {
  const PtxInstruction& instruction;
  const Experiment& experiment;
  Body body;
  Build& build;
};

/// Two kernels that are alike but for the Pace of their copies.
struct ComparedKernels {
  TrialKernel early, patient;

  bool operator==(const ComparedKernels&) const = default;
};

/// Places the copies into the kernels: afterwards each build names an image that holds them, with its listings. For a
/// chain in registers it returns kernels with the copies of the smallest window, both of which are the largest kernel:
/// ptxas may use other registers in another one.
/// Errors, one for each request: those of room_of(), copies_of() and fill_hole(); "read-back" if the disassembler reads
/// the window as anything else; those of the cache and the disassembler.
[[nodiscard]] std::vector<Expected<std::optional<ComparedKernels>>> compose(std::span<const ComposeRequest> requests,
                                                                            const Arch& arch,
                                                                            const BuildOptions& options);

/// The experiment `plain` with composed copies of the body, and with room for them. Error "compose" if they cannot be
/// chained, or if the body is too long.
[[nodiscard]] Expected<Experiment> composed_experiment(const Body& body, const Experiment& plain);

/// Repeat counts for an instruction that becomes `size` machine instructions. Large ones get fewer copies, so that the
/// window stays well inside the instruction cache; composed throughputs stay within the nearest one, which holds some
/// 200 words (docs/findings.md). A single warp is not delayed by longer code.
[[nodiscard]] std::vector<std::int64_t> repeats_for(std::int64_t size, const Experiment& experiment);

}  // namespace warpclock
