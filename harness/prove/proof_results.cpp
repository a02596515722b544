#include "prove/proof_results.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "execute/execute.hpp"
#include "gpu/job/args.hpp"
#include "prove/proof_data.hpp"
#include "ptx/experiment/frame.hpp"

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

}  // namespace

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
  for (std::size_t at = 0; at < results.kept.size(); at += register_bytes) {
    const auto word = left.read(data_address + proof_data::begin + at, register_bytes);
    if (word) std::memcpy(results.kept.data() + at, &word.value, register_bytes);
    results.followed[at / register_bytes] = word.known;
  }
  // What is not compared is followed.
  std::string compared(results.kept.size(), '\1');
  leave_compared(compared, memory);
  for (std::size_t i = 0; i < results.followed.size(); ++i)
    if (compared[i * register_bytes] == '\0') results.followed[i] = true;
  leave_compared(results.kept, memory);
  return results;
}

}  // namespace warpclock
