#include <fmt/args.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "answer/claims.hpp"
#include "answer/numbers/figures.hpp"
#include "base/files/file.hpp"
#include "base/testing/matchers.hpp"
#include "base/text.hpp"
#include "base/yaml/yaml_archive.hpp"
#include "cli/testing/committed_records.hpp"

namespace warpclock {
namespace {

using Kind = Selector::Kind;

struct ShownNumber {
  Selector of;
  std::string in;  ///< "GB/s" of all SMs, "% of the bus"; empty: as it is
};

struct ReadmeLine {
  std::string begins, says;
  std::vector<ShownNumber> numbers;
};

void describe(YamlArchive& a, ShownNumber& v) {
  static const SelectorKeys keys{.kinds = {Kind::Cases, Kind::Feature, Kind::Instruction, Kind::Form, Kind::Kernel}};
  a.required("of", v.of, yaml::with(keys));
  a.optional("in", v.in, yaml::OneOfWords{{"GB/s", "% of the bus"}});
}

void describe(YamlArchive& a, ReadmeLine& v) {
  WARPCLOCK_REQUIRED(begins, says);
  a.required("numbers", v.numbers, yaml::one_or_list());
}

double shown(const Selected& one, const std::string& in, const DeviceFacts& device) {
  if (in.empty()) return one.value;
  const double rate = gigabytes_per_second(one.value, one.unit, device.sms, one.clock).value().value;
  return in == "GB/s" ? rate : 100 * rate / memory_peak(device).value();
}

std::string cell_of(const testing::Evidence& evidence, std::size_t gpu, const ReadmeLine& line) {
  fmt::dynamic_format_arg_store<fmt::format_context> numbers;
  for (const ShownNumber& number : line.numbers) {
    const std::vector<Selected> all = selected(evidence.book, gpu, number.of);
    const bool one = all.size() == 1 || (!all.empty() && number.of.take != Selector::Take::All);
    if (!one) return fmt::format("{} numbers of {} {}", all.size(), number.of.probe, number.of.name);
    const bool highest = number.of.take == Selector::Take::Highest;
    numbers.push_back(shown(taken(all, highest), number.in, evidence.gpus[gpu].device()));
  }
  return fmt::vformat(line.says, numbers);
}

TEST(Readme, HasTheNumbersOfTheRecords) {
  const testing::Evidence evidence(testing::committed_records());
  const std::string file = WARPCLOCK_SOURCE_DIR "/harness/cli/testdata/readme.yaml";
  const auto lines = must(read_yaml<std::vector<ReadmeLine>>(file, must(read_file(file)), yaml::under("lines")));
  const std::vector<std::string> readme = split(must(read_file(WARPCLOCK_SOURCE_DIR "/README.md")), '\n');
  for (const ReadmeLine& line : lines) {
    const auto found = std::ranges::find_if(readme, [&](const auto& each) { return each.starts_with(line.begins); });
    ASSERT_NE(found, readme.end()) << line.begins;
    const std::vector<std::string> cells = split(*found, '|');
    for (std::size_t gpu = 0; gpu < evidence.gpus.size(); ++gpu)
      EXPECT_EQ(trim(cells.at(2 + gpu)), cell_of(evidence, gpu, line)) << line.begins;
  }
}

}  // namespace
}  // namespace warpclock
