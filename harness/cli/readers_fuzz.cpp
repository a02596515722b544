// libFuzzer: any bytes as the text of a record, a journal, a baseline, a capture, a config, launches, a list of GPUs,
// executed counts, and gzip; WARPCLOCK_READER names which. Built with -DWARPCLOCK_FUZZ=ON and clang++; see
// cmake/fuzz.cmake.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cli/testing/readers.hpp"

namespace {

const warpclock::testing::Reader& chosen() {
  const char* name = std::getenv("WARPCLOCK_READER");
  for (const auto& reader : warpclock::testing::readers)
    if (name != nullptr && reader.name == name) return reader;
  std::fprintf(stderr, "WARPCLOCK_READER is one of:\n");
  for (const auto& reader : warpclock::testing::readers) std::fprintf(stderr, "%s\n", std::string(reader.name).c_str());
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const warpclock::testing::Reader& reader = chosen();
  const std::string wrong = reader.read({reinterpret_cast<const char*>(data), size}).wrong;
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
