#include "prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <set>
#include <utility>

#include "base/files/file.hpp"
#include "base/files/packed_file.hpp"
#include "base/hash.hpp"
#include "base/json/json_reader.hpp"
#include "base/json/json_writer.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "compose/hole_source.hpp"
#include "execute/execute.hpp"
#include "fields/form_table.hpp"
#include "prove/operands.hpp"
#include "ptx/experiment/frame.hpp"
#include "record/json/record_fields.hpp"

namespace warpclock {

namespace {

using namespace hole_layout;

/// Nobody asks what the warps did.
class NoReader : public StreamReader {
 public:
  void ran(const WarpPlace&, std::uint32_t, std::uint32_t, std::uint32_t, LaneMask) override {}
  void accessed(const WarpPlace&, const CodeStep&, std::size_t, LaneMask, const LaneAddresses&) override {}
  void copied(const WarpPlace&, const CodeStep&, const BulkCopy&) override {}
};

/// Where the executor has the buffers of the launch.
constexpr std::uint64_t data_address = std::uint64_t{1} << 40U, clocks_address = std::uint64_t{2} << 40U,
                        sink_address = std::uint64_t{3} << 40U;

/// What is kept of a launch (proof_data::begin to end) that does not depend on the window: words of quads, and for
/// windows that access memory those of cells. The others are zeros.
void leave_compared(std::string& kept, bool memory) {
  const auto clear = [&](std::size_t from, std::size_t to) {
    std::fill(kept.begin() + static_cast<std::ptrdiff_t>(from), kept.begin() + static_cast<std::ptrdiff_t>(to), '\0');
  };
  if (!memory) return clear(number_quads * quad_bytes, kept.size());
  // Behind the words of cells in shared memory, a word of the quad with addresses is left.
  constexpr std::size_t shared_words = 7;
  for (std::size_t thread = 0; thread < proof_data::threads; ++thread) {
    const std::size_t at = (number_quads + shared_words / components) * quad_bytes + thread * thread_bytes +
                           shared_words % components * register_bytes;
    clear(at, at + register_bytes);
  }
}

/// The words of what is kept of a launch that leave_compared() leaves, by their place in bytes.
const std::vector<std::size_t>& compared_words(bool memory) {
  const auto words = [](bool of_memory) {
    std::string kept(proof_data::end - proof_data::begin, '\1');
    leave_compared(kept, of_memory);
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < kept.size(); at += register_bytes)
      if (kept[at] != '\0') all.push_back(at);
    return all;
  };
  static const std::vector<std::size_t> of_memory = words(true), of_others = words(false);
  return memory ? of_memory : of_others;
}

}  // namespace

bool ExecutedResults::all_followed() const { return std::ranges::find(followed, false) == followed.end(); }

std::string digest_of(const std::string& kept, bool memory) {
  return hash_hex(memory ? kept : std::string_view(kept).substr(0, number_quads * quad_bytes));
}

ProofExecution::ProofExecution(const ProofFrame& frame, LoadedKernel kernel)
    : target_(to_string(frame.arch)), kernel_(std::move(kernel)) {}

Expected<ExecutedResults> ProofExecution::run(const std::string& operands, bool memory) {
  auto launch = WARPCLOCK_TRY(executed_launch(kernel_.facts, target_, {1, 1, 1}, {proof_data::threads, 1, 1}, 0, {}));
  launch.buffers = {{0, data_address, hole_data_bytes(), std::nullopt, operands},
                    {1, clocks_address, 4096, std::nullopt, {}},
                    {2, sink_address, 4096, std::nullopt, {}}};
  DeviceArgs args{.clocks = clocks_address,
                  .data = data_address,
                  .data_bytes = operands.size(),
                  .facts = sink_address,
                  .sink = sink_address,
                  .passes = 1,
                  .zero = 0,
                  .at = 0,
                  .texture = 0,
                  .places = sink_address,
                  .tensor = {}};
  std::memcpy(&args.tensor, operands.data() + proof_data::constants_at, sizeof args.tensor);
  const std::uint32_t arguments = arguments_at(kernel_.facts, launch.places);
  for (std::uint32_t at = 0; at < sizeof args; at += register_bytes)
    std::memcpy(&launch.constants[arguments + at], reinterpret_cast<const char*>(&args) + at, register_bytes);
  // Launches differ in their constants and buffers alone.
  if (program_)
    set_constants(*program_, launch);
  else
    program_ = code_program(kernel_, launch, Follow::All);
  if (std::ranges::any_of(program_->steps, &CodeStep::approximate))
    return fail("approximate", "its results are right within one unit of the last place, and not bit for bit");
  NoReader reader;
  GlobalMemory left(launch);
  WARPCLOCK_TRY(execute(kernel_, launch, *program_, std::array{std::uint64_t{0}}, reader, left));
  ExecutedResults results;
  results.kept.resize(proof_data::end - proof_data::begin);
  results.followed.assign(results.kept.size() / register_bytes, true);
  // What is not compared is followed.
  for (const std::size_t at : compared_words(memory)) {
    const auto word = left.read(data_address + proof_data::begin + at, register_bytes);
    if (word) std::memcpy(results.kept.data() + at, &word.value, register_bytes);
    results.followed[at / register_bytes] = word.known;
  }
  return results;
}

namespace {

std::uint32_t word_at(const std::string& data, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, data.data() + at, sizeof word);
  return word;
}

/// The name of what a word of the results is.
std::string name_of(const Hole& hole, std::size_t place, std::size_t component) {
  if (place < hole.quads.size()) return fmt::format("R{}", hole.quads[place] + static_cast<int>(component));
  if (place * quad_bytes >= results_at) return fmt::format("byte {} of a cell in global memory", 4 * component);
  return fmt::format("word {} of the thread's cells", (place - number_quads) * components + component);
}

/// The vector registers that decide what the words of a filling compute, before they change them.
std::set<int> registers_read(const Filling& filling) {
  std::set<int> read;
  for (const PlacedWord& placed : filling.placed) {
    for (const auto& source : placed.effects.sources) {
      for (const Register reg : source)
        if (reg.file == RegisterFile::Vector) read.insert(reg.index);
    }
  }
  return read;
}

}  // namespace

std::string first_difference(const Hole& hole, const Filling& filling, const std::string& operands,
                             const std::string& kept, const ExecutedResults& results) {
  std::optional<std::size_t> first;
  std::size_t count = 0, thread = proof_data::threads;
  for (std::size_t at = 0; at < kept.size(); at += register_bytes) {
    if (!results.followed[at / register_bytes] || word_at(kept, at) == word_at(results.kept, at)) continue;
    ++count;
    const std::size_t of = at % quad_bytes / thread_bytes;
    if (of < thread) thread = of, first = at;
  }
  if (!first) return {};
  std::vector<std::string> inputs;
  for (const int reg : registers_read(filling)) {
    for (std::size_t quad = 0; quad < hole.quads.size(); ++quad) {
      if (reg < hole.quads[quad] || reg >= hole.quads[quad] + quad_registers) continue;
      const std::size_t at =
          quad * quad_bytes + thread * thread_bytes + static_cast<std::size_t>(reg - hole.quads[quad]) * register_bytes;
      inputs.push_back(fmt::format("R{} = {:#x}", reg, word_at(operands, at)));
    }
  }
  return fmt::format("thread {} with {}: {} is {:#x} on the GPU, {:#x} here ({} words differ)", thread,
                     join(inputs, ", "), name_of(hole, *first / quad_bytes, *first % thread_bytes / register_bytes),
                     word_at(kept, *first), word_at(results.kept, *first), count);
}

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

void describe(auto& a, Like<ProofRow> auto& v) {
  WARPCLOCK_REQUIRED(id);
  WARPCLOCK_OPTIONAL(sets, digest, reason);
}

void describe(auto& a, Like<ProofTable> auto& v) { WARPCLOCK_REQUIRED(provenance, device, operands, rows); }

std::vector<ProofRow> rows_of(const std::vector<ProvedForm>& forms) {
  std::vector<ProofRow> rows;
  for (const ProvedForm& form : forms) {
    ProofRow& row = rows.emplace_back(form.key);
    if (form.digest.empty())
      row.reason = form.reason;
    else
      row.sets = form.sets, row.digest = form.digest;
  }
  return rows;
}

std::string to_json(const ProofTable& table) {
  std::string text = fmt::format(
      "{{\"schema\":{{\"major\":1,\"minor\":0,\"patch\":0}},\"record\":\"semantics\",\n\"provenance\":{},\n"
      "\"device\":{},\n\"operands\":{},\n\"rows\":[",
      JsonLine::of(table.provenance), JsonLine::of(table.device), JsonLine::of(table.operands));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    text += fmt::format("{}\n{}", i > 0 ? "," : "", JsonLine::of(table.rows[i]));
  return text + "\n]}\n";
}

Expected<ProofTable> read_proof_table(std::string_view text, const std::string& place) {
  auto document = JsonDocument::parse(text);
  if (!document) return fail("record", "not JSON: " + document.error().text, place);
  JsonReader reader;
  ProofTable table;
  reader.read(document->root(), table);
  if (reader.problem()) return fail("record", *reader.problem(), place);
  if (table.operands != operands_digest())
    return fail("record-operands", "its results are those of other operands: measure again", place);
  return table;
}

Expected<ProofTable> read_proofs(const std::filesystem::path& folder) {
  const auto path = folder / proof_file;
  const std::string text = WARPCLOCK_TRY(read_packed_file(path));
  return read_proof_table(text, path.string());
}

std::map<std::string, std::string> digests_of(const ProofTable& table) {
  std::map<std::string, std::string> digests;
  for (const ProofRow& row : table.rows)
    if (!row.digest.empty()) digests[row.id] = row.digest;
  return digests;
}

}  // namespace warpclock
