#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "code/listing.hpp"
#include "code/testing/hostile_listing.hpp"
#include "fields/form_table.hpp"
#include "fields/skeleton.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"
#include "predict/predict.hpp"

namespace warpclock::testing {

/// Ten bytes say what the cubin states and how the kernel is launched.
inline PredictOptions hostile_launch(HostileBytes& bytes, KernelFacts& facts) {
  constexpr std::array<int, 8> numbers = {0, 1, 32, 255, 1024, 4096, 65536, 1 << 30};
  const auto number = [&] {
    const std::size_t which = bytes.next();
    return which < 4 * numbers.size() ? numbers[which % numbers.size()] : 32;
  };
  facts.entry = true;
  facts.registers = number();
  facts.barriers = number();
  facts.shared_bytes = number();
  facts.most_threads = number();
  facts.required_threads = number();
  facts.indirect[0x40] = {0x10, 0x7fffffffffffffff, 0x13};
  PredictOptions options;
  options.threads = bytes.next() % 2 == 0 ? 64 : 0;
  options.blocks = std::int64_t{bytes.next()} << bytes.next() % 30;
  if (bytes.next() % 2 == 0) options.trips = {{0, 3}, {1, 1'000'000'000'000}};
  options.timeline = bytes.next() % 8;
  return options;
}

/// A machine that knows some of these instructions.
inline Machine hostile_machine() {
  Machine machine;
  machine.gpu = "GPU";
  machine.arch = "sm_90a";
  machine.stated.sms = 132;
  double value = 1;
  for (const std::string_view form : hostile_pool) {
    if (form.contains('`') || value > 20) continue;
    Entry& entry = machine.instructions.emplace_back();
    entry.name = key_of(skeleton_of(form));
    entry.leaves = {{.name = "interval", .value = value}, {.name = "latency.a", .value = 4 * value}};
    value += 1.5;
  }
  return machine;
}

}  // namespace warpclock::testing
