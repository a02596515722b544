// libFuzzer: any bytes as a launch, as what a cubin states of a kernel, and as the instructions of its listing. Built
// with -DWARPCLOCK_FUZZ=ON and clang++; see cmake/fuzz.cmake.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "inspect/inspect.hpp"
#include "predict/predict.hpp"
#include "predict/prediction_output.hpp"
#include "predict/testing/hostile.hpp"

namespace {

using namespace warpclock;

void require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Machine machine = testing::hostile_machine();
  testing::HostileBytes bytes({reinterpret_cast<const char*>(data), size});
  LoadedKernel kernel;
  PredictOptions options = testing::hostile_launch(bytes, kernel.facts);
  // Of a thousand inputs, one is worth more than the rest of a long simulation.
  options.limit = 0.05;
  auto listings = parse_listings(testing::hostile_listing(bytes));
  require(listings.has_value());
  if (listings->empty()) return 0;
  kernel.listing = listings->front();
  static_cast<void>(inspect("a", {"cubin", {90, true}, {kernel}}, {}));
  const auto prediction = predict(kernel, machine, options);
  if (!prediction) {
    require(!prediction.error().text.empty());
    return 0;
  }
  require(!prediction->low || (std::isfinite(*prediction->low) && *prediction->low <= *prediction->high));
  static_cast<void>(to_text(prediction_sheet(*prediction), Style(false)));
  static_cast<void>(to_json({*prediction}));
  return 0;
}
