#include "prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/files/paths.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "fields/form_table.hpp"
#include "prove/first_difference.hpp"
#include "prove/proof_data.hpp"
#include "prove/proof_results.hpp"

namespace warpclock {
namespace {

/// The operands of all launches.
struct AllOperands {
  std::array<std::vector<std::string>, 2> data;

  AllOperands() {
    for (auto& each : data) each.resize(operand_launches);
    for_each_at_once(2 * operand_launches, [&](std::size_t i) {
      data[i / operand_launches][i % operand_launches] =
          operand_data(i % operand_launches, static_cast<OperandsOf>(i / operand_launches));
    });
  }
  [[nodiscard]] const std::string& of(const ProofLaunch& launch) const {
    return data[static_cast<std::size_t>(launch.of)][launch.operands];
  }
};

/// What the executor makes of a window.
struct ExecutedWindow {
  std::vector<ProofExecution> kernels;  ///< of its fillings
  std::vector<std::string> digests;     ///< of its launches
  std::optional<Error> reason;          ///< why there is not one for each
};

Expected<void> execute_window(const ProofFrame& frame, const PlacedTexts& texts, const AllOperands& operands,
                              const ProofWindow& window, ExecutedWindow& made) {
  for (std::size_t i = 0; i < window.fillings.size(); ++i) {
    auto kernel = WARPCLOCK_TRY(kernel_in(frame, texts, window.image, i));
    made.kernels.emplace_back(frame, std::move(kernel));
  }
  for (const ProofLaunch& launch : window.launches) {
    const auto results = WARPCLOCK_TRY(made.kernels[launch.filling].run(operands.of(launch), window.memory));
    if (!results.all_followed()) return fail("not-followed", "its results are not followed");
    made.digests.push_back(digest_of(results.kept, window.memory));
  }
  return {};
}

class Prover {
 public:
  explicit Prover(const ProveOptions& how) : how_(how), frame_(*how.frame), rows_(how.forms.size()) {}

  Expected<std::vector<ProvedForm>> run() {
    windows_.resize(rows_.size());
    executed_.resize(rows_.size());
    for_each_at_once(rows_.size(), [&](std::size_t i) { windows_[i] = proof_window(frame_, how_.forms[i]); });
    const PlacedTexts texts(frame_, windows_);
    for_each_at_once(rows_.size(), [&](std::size_t i) {
      if (windows_[i].reason) return;
      if (auto done = execute_window(frame_, texts, operands_, windows_[i], executed_[i]); !done)
        executed_[i].reason = std::move(done.error());
    });
    for (std::size_t i = 0; i < rows_.size(); ++i) begin(i);
    if (how_.desk) {
      WARPCLOCK_TRY(ask_gpu());
    } else {
      for (std::size_t i = 0; i < rows_.size(); ++i) compare_with_record(i);
    }
    return std::move(rows_);
  }

 private:
  void begin(std::size_t i) {
    rows_[i].key = windows_[i].key;
    rows_[i].sets = static_cast<std::int64_t>(windows_[i].sets);
    if (windows_[i].reason) {
      rows_[i].proof = Proof::NotComposed, rows_[i].reason = windows_[i].reason, rows_[i].sets = 0;
    } else if (executed_[i].reason) {
      rows_[i].proof = Proof::NotFollowed, rows_[i].reason = executed_[i].reason;
    }
  }

  void compare_with_record(std::size_t i) {
    ProvedForm& row = rows_[i];
    if (row.proof == Proof::NotComposed) return;
    const auto at = how_.recorded.find(row.key);
    if (at == how_.recorded.end()) {
      if (row.proof == Proof::NotRun) row.reason = Error{"not-run", "no GPU's results are recorded", {}};
      return;
    }
    row.digest = at->second;
    if (row.proof == Proof::NotFollowed) return;
    row.proof = row.digest == hash_hex(join(executed_[i].digests, "")) ? Proof::Verified : Proof::Differs;
    if (row.proof == Proof::Differs) row.difference = "the digest of the recorded results is another";
  }

  Expected<void> write_operands() {
    for (const OperandsOf of : {OperandsOf::Thread, OperandsOf::Warp}) {
      std::ofstream file(operands_path(of), std::ios::binary);
      for (const std::string& data : operands_.data[static_cast<std::size_t>(of)]) file << data;
      if (!file.flush()) return fail("io", "cannot write " + operands_path(of));
    }
    return {};
  }
  [[nodiscard]] std::string operands_path(OperandsOf of) const {
    return how_.folder + (of == OperandsOf::Thread ? "/threads" : "/warps");
  }

  Expected<Job> job_for(std::size_t i) const {
    const ProofWindow& window = windows_[i];
    Job job;
    job.id = window.key;
    job.cubin_path = fmt::format("{}/{}.cubin", how_.folder, i);
    if (!(std::ofstream(job.cubin_path, std::ios::binary) << window.image))
      return fail("io", "cannot write " + job.cubin_path);
    job.data.bytes = hole_data_bytes();
    job.launch.launches = 1;
    job.launch.warmups = 0;
    job.launch.warps = proof_data::warps;
    job.once = true;
    job.timed = false;
    job.contents = {.from = operands_path(window.launches.front().of),
                    .to = fmt::format("{}/{}.results", how_.folder, i),
                    .begin = static_cast<std::int64_t>(proof_data::begin),
                    .end = static_cast<std::int64_t>(proof_data::end),
                    .constants = static_cast<std::int64_t>(proof_data::constants_at)};
    for (const ProofLaunch& launch : window.launches) {
      job.kernels.push_back({.n = 1,
                             .symbol = frame_.hole.kernels[launch.filling].symbol,
                             .part = static_cast<std::int64_t>(launch.operands)});
    }
    return job;
  }

  Expected<void> ask_gpu() {
    WARPCLOCK_TRY(write_operands());
    std::size_t done = 0;
    const auto look = [&](std::size_t i, const Job& job, const Expected<Observation>& seen,
                          bool) -> std::optional<Job> {
      if (auto compared = seen ? compare(i, job.contents.to) : std::unexpected(seen.error()); !compared)
        rows_[i].proof = Proof::NotRun, rows_[i].reason = std::move(compared.error());
      std::filesystem::remove(job.cubin_path);
      std::filesystem::remove(job.contents.to);
      if (how_.progress) how_.progress(++done, rows_.size());
      return std::nullopt;
    };
    TimingLine line(*how_.desk, look);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (windows_[i].reason) {
        ++done;
        continue;
      }
      auto job = WARPCLOCK_TRY(job_for(i));
      WARPCLOCK_TRY(line.add(i, std::move(job)));
    }
    return line.finish();
  }

  /// Notes the digest of the GPU's results, and whether they are the executor's.
  Expected<void> compare(std::size_t i, const std::string& path) {
    const ProofWindow& window = windows_[i];
    ProvedForm& row = rows_[i];
    constexpr std::size_t each = proof_data::end - proof_data::begin;
    const std::string all = WARPCLOCK_TRY(read_file(path, operand_launches * each));
    if (all.size() != window.launches.size() * each) return fail("io", path + " ends early");
    std::vector<std::string> digests;
    for (std::size_t k = 0; k < window.launches.size(); ++k) {
      std::string kept = all.substr(k * each, each);
      leave_compared(kept, window.memory);
      digests.push_back(digest_of(kept, window.memory));
      const bool same = k < executed_[i].digests.size() && executed_[i].digests[k] == digests.back();
      if (same || !row.difference.empty() || executed_[i].kernels.size() <= window.launches[k].filling) continue;
      if (k > 0 && executed_[i].reason) continue;
      const std::string& operands = operands_.of(window.launches[k]);
      const auto results = executed_[i].kernels[window.launches[k].filling].run(operands, window.memory);
      if (!results) continue;
      row.difference =
          first_difference(frame_.hole, window.fillings[window.launches[k].filling], operands, kept, *results);
      if (!row.difference.empty()) row.proof = Proof::Differs;
    }
    row.digest = hash_hex(join(digests, ""));
    if (row.proof == Proof::NotRun && !executed_[i].reason) row.proof = Proof::Verified;
    return {};
  }

  const ProveOptions& how_;
  const ProofFrame& frame_;
  const AllOperands operands_;
  std::vector<ProvedForm> rows_;
  std::vector<ProofWindow> windows_;
  std::vector<ExecutedWindow> executed_;
};

}  // namespace

Expected<std::vector<ProvedForm>> prove_forms(const ProveOptions& how) { return Prover(how).run(); }

}  // namespace warpclock
