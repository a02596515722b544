#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "code/word.hpp"
#include "compose/filling.hpp"
#include "compose/hole.hpp"
#include "compose/movers.hpp"
#include "execute/code_program.hpp"
#include "execute/launch.hpp"
#include "fields/form.hpp"
#include "gpu/device/device.hpp"
#include "gpu/job/job.hpp"
#include "inspect/load.hpp"
#include "plan/arch.hpp"
#include "prove/operands.hpp"
#include "record/record.hpp"

namespace warpclock {

/// A hole of HoleUse::Operands, and what the executor needs to execute it.
struct ProofFrame {
  Arch arch;
  std::string nvdisasm;
  const Hole& hole;
  Movers movers;
  LoadedKernel kernel;  ///< the first of the hole's kernels, which are all alike
};

/// The hole must outlive it. Errors: those of listings_of() and kernel_facts().
[[nodiscard]] Expected<ProofFrame> proof_frame(const Arch& arch, const std::string& nvdisasm, const Hole& hole);

/// Where such a kernel has its argument in constant bank 0.
[[nodiscard]] std::uint32_t arguments_at(const KernelFacts& facts, const BankPlaces& places);

/// One launch of a form's image.
struct ProofLaunch {
  std::size_t filling = 0;  ///< which kernel of the image
  std::size_t operands = 0;
  OperandsOf of = OperandsOf::Thread;
};

/// A form in kernels that load its operands, execute it once, and store its results.
struct ProofWindow {
  std::string key;
  std::vector<Filling> fillings;  ///< one, or several that differ in the numbers of the form
  std::string image;
  bool memory = false;  ///< whether it accesses memory, whose cells are compared as well
  std::vector<ProofLaunch> launches;
  std::size_t sets = 0;         ///< of operands: threads, or warps where the operands are those of a warp
  std::optional<Error> reason;  ///< why there is none
};

/// The window of a form. Its launches have 1,024 sets of operands or more; the numbers in its text are those of the
/// form's word and three others of their fields. `reason`: that of machine_subject() or the placer; "control-flow" and
/// "set-up" also for forms whose effect is not in registers or memory.
[[nodiscard]] ProofWindow proof_window(const ProofFrame& frame, const WordForm& form);

/// Has the disassembler read all words that these windows place. A window with a word that is read as something else
/// gets the reason "read-back"; one of its numbers is left out instead where it has others.
class PlacedTexts {
 public:
  PlacedTexts(const ProofFrame& frame, std::span<ProofWindow> windows);

  /// The instruction of a word without its control field; null if it was not placed.
  [[nodiscard]] const Instruction* find(const Word& word) const;

 private:
  std::map<Word, Instruction> texts_;
};

/// The kernel of a filling of the image, as the executor reads it: word by word from the image. Error "listing" if a
/// word is neither the hole's nor a placed one.
[[nodiscard]] Expected<LoadedKernel> kernel_in(const ProofFrame& frame, const PlacedTexts& texts,
                                               const std::string& image, std::size_t filling);

/// 32 hexadecimal digits that identify what is left of it.
[[nodiscard]] std::string digest_of(const std::string& kept, bool memory);

/// What the executor computes of a launch.
struct ExecutedResults {
  std::string kept;            ///< proof_data::begin to end, after leave_compared()
  std::vector<bool> followed;  ///< for each word of `kept`: whether its value is known

  [[nodiscard]] bool all_followed() const;
};

/// Executes the kernel of one of a window's fillings with the operands of its launches.
class ProofExecution {
 public:
  ProofExecution(const ProofFrame& frame, LoadedKernel kernel);

  /// `operands` as operand_data() gives them. Errors: those of execute().
  [[nodiscard]] Expected<ExecutedResults> run(const std::string& operands, bool memory);

 private:
  std::string target_;
  LoadedKernel kernel_;
  std::optional<CodeProgram> program_;
};

/// The first word that the executor computes and the GPU has otherwise, in words: "thread 5 with R20 = 0x3f800000, ...:
/// R12 is 0x1 on the GPU, 0x0 here (1024 words differ)". Empty if there is none. `kept` is the GPU's, after
/// leave_compared().
[[nodiscard]] std::string first_difference(const Hole& hole, const Filling& filling, const std::string& operands,
                                           const std::string& kept, const ExecutedResults& results);

/// What is known of a form's meaning.
enum class Proof : std::uint8_t {
  Verified,     ///< all results that the executor computes are those of the GPU
  Differs,      ///< one is not
  NotFollowed,  ///< the executor does not compute all of them
  NotComposed,  ///< there is no window of it
  NotRun        ///< there are no results of a GPU
};

struct ProvedForm {
  std::string key;
  Proof proof = Proof::NotRun;
  std::int64_t sets = 0;        ///< of operands
  std::string digest;           ///< of the GPU's results; empty without any
  std::optional<Error> reason;  ///< of NotComposed, NotFollowed and NotRun
  std::string difference;       ///< of Differs: the first set of operands with another result
};

struct ProveOptions {
  const ProofFrame* frame = nullptr;
  std::span<const WordForm> forms;
  std::string folder;                           ///< for images and results, which are removed at the end
  std::optional<TimingLine::Desk> desk;         ///< of a GPU; without one, `recorded` is compared
  std::map<std::string, std::string> recorded;  ///< digests by form
  std::function<void(std::size_t done, std::size_t total)> progress;
};

/// Compares what the executor computes of each form, in their order, with what a GPU did, bit for bit. Errors:
/// "device-lost", "io".
[[nodiscard]] Expected<std::vector<ProvedForm>> prove_forms(const ProveOptions& how);

/// What a GPU left of a form's operands.
struct ProofRow {
  std::string id;               ///< key of the form
  std::int64_t sets = 0;        ///< of operands
  std::string digest;           ///< of the results of all of them; empty if there are none
  std::optional<Error> reason;  ///< why there are none

  bool operator==(const ProofRow&) const = default;
};

/// semantics.json: results of a GPU for each form, which the executor is held to.
struct ProofTable {
  Provenance provenance;
  DeviceFacts device;
  std::string operands;  ///< identifies the sets of operands (operands_digest())
  std::vector<ProofRow> rows;
};

inline constexpr std::string_view proof_file = "semantics.json";

/// Without what the executor made of them.
[[nodiscard]] std::vector<ProofRow> rows_of(const std::vector<ProvedForm>& forms);

[[nodiscard]] std::string to_json(const ProofTable& table);
/// Foreign input. Error "record", or "record-operands" if the results are those of other operands.
[[nodiscard]] Expected<ProofTable> read_proof_table(std::string_view text, const std::string& place);
/// The record of a GPU's folder. Error "io" if it has none.
[[nodiscard]] Expected<ProofTable> read_proofs(const std::filesystem::path& folder);

/// The digests by form.
[[nodiscard]] std::map<std::string, std::string> digests_of(const ProofTable& table);

}  // namespace warpclock
