#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "gpu/device/device.hpp"
#include "prove/prove.hpp"
#include "record/record.hpp"

namespace warpclock {

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
