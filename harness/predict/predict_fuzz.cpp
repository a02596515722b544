// libFuzzer: recorded kernels whose instructions, control fields, jumps and facts are changed, then inspected and
// predicted; and any bytes as a disassembly. Built with -DWARPCLOCK_FUZZ=ON and clang++; see cmake/fuzz.cmake.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/files/paths.hpp"
#include "code/listing.hpp"
#include "inspect/inspect.hpp"
#include "inspect/inspection_json.hpp"
#include "inspect/load.hpp"
#include "model/make_machine.hpp"
#include "model/measured.hpp"
#include "model/model_config.hpp"
#include "predict/predict.hpp"
#include "predict/prediction_json.hpp"

namespace {

using namespace warpclock;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes && !bytes_.empty(); ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
    }
    return value;
  }
  std::string text() {
    const std::string taken(bytes_.substr(0, number(1) % 16));
    bytes_.remove_prefix(std::min(taken.size(), bytes_.size()));
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

const std::vector<LoadedKernel>& recorded() {
  static const std::vector<LoadedKernel> all = [] {
    const std::string data = WARPCLOCK_SOURCE_DIR "/harness/inspect/testdata/";
    const auto facts = kernel_facts(read_file(data + "kernels.cubin").value()).value();
    std::vector<LoadedKernel> kernels;
    for (Listing& listing : parse_listings(read_file(data + "kernels.sass").value()).value()) {
      LoadedKernel& kernel = kernels.emplace_back();
      kernel.facts = facts.find(listing.kernel)->second;
      kernel.listing = std::move(listing);
    }
    return kernels;
  }();
  return all;
}

const Machine& machine() {
  static const Machine made = make_machine(known_model_config().value(),
                                           read_measured_gpu(WARPCLOCK_SOURCE_DIR "/reports", "nvidia-h200").value())
                                  .value();
  return made;
}

void change_instruction(Input& input, Instruction& one, const Listing& other) {
  const std::uint64_t address = one.address;
  switch (input.number(1) % 6) {
    case 0:
      one = other.instructions[input.number(2) % other.instructions.size()];
      one.address = address;
      break;
    case 1:
      one.high = input.number(8);
      one.control = decode_control(one.high);
      break;
    case 2:
      one.branch_target = input.number(2);
      break;
    case 3:
      one.predicate = std::array{"", "P0", "!PT", "UP1", "!"}[input.number(1) % 5];
      break;
    case 4:
      if (!one.operands.empty()) one.operands[input.number(1) % one.operands.size()] = input.text();
      break;
    default:
      if (auto parsed = parse_instruction(input.text())) {
        parsed->address = address;
        parsed->control = one.control;
        one = *std::move(parsed);
      }
  }
}

void change_kernel(Input& input, LoadedKernel& kernel) {
  KernelFacts& facts = kernel.facts;
  const int number = static_cast<int>(input.number(4) % (1U << 30));
  switch (input.number(1) % 6) {
    case 0:
      kernel.listing.instructions.resize(1 + static_cast<std::size_t>(number) % kernel.listing.instructions.size());
      break;
    case 1:
      facts.registers = number;
      break;
    case 2:
      facts.shared_bytes = number;
      break;
    case 3:
      facts.most_threads = facts.required_threads = number;
      break;
    case 4:
      facts.spills = std::vector<std::uint64_t>{input.number(8), input.number(2)};
      break;
    default:
      facts.indirect[input.number(2)] = {input.number(8), input.number(2)};
  }
}

PredictOptions options_of(Input& input) {
  PredictOptions what;
  what.blocks = 1 + static_cast<std::int64_t>(input.number(2) % 300);
  what.threads = 1 + static_cast<int>(input.number(2) % 128);
  what.level = static_cast<MemoryLevel>(input.number(1) % 3);
  for (int loop = 0; loop < 3; ++loop) {
    if (const auto trips = static_cast<std::int64_t>(input.number(1)); trips > 0) what.trips[loop] = trips * trips;
  }
  what.timeline = input.number(1);
  return what;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::vector<LoadedKernel>& all = recorded();
  const std::uint64_t first = input.number(1);
  if (first == 255) {
    static_cast<void>(parse_listings(input.rest()));
    return 0;
  }
  LoadedFile file{"cubin", {90, true}, {all[first % all.size()]}};
  LoadedKernel& kernel = file.kernels.front();
  const Listing& other = all[first / 4 % all.size()].listing;
  const PredictOptions what = options_of(input);
  while (!input.empty()) {
    const std::uint64_t which = input.number(2);
    if (which >> 12 == 15)
      change_kernel(input, kernel);
    else
      change_instruction(input, kernel.listing.instructions[which % kernel.listing.instructions.size()], other);
  }
  InspectOptions how;
  how.machine = &machine();
  if (const auto inspection = inspect("fuzzed", file, how)) static_cast<void>(to_json(*inspection));
  if (const auto prediction = predict(kernel, machine(), what)) static_cast<void>(to_json({*prediction}));
  return 0;
}
