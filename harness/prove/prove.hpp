#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fields/form.hpp"
#include "gpu/job/timing_line.hpp"
#include "prove/proof_window.hpp"

namespace warpclock {

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

}  // namespace warpclock
