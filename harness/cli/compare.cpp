#include "report/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_folder.hpp"
#include "measure/inputs.hpp"
#include "record/json/record_json.hpp"

namespace warpclock {
namespace {

struct CompareOptions {
  std::string before, after;
  bool json = false;
};

/// If the file is neither kind of record, the error is the one for a result.
Expected<RecordFile> kind_of_file(const std::string& path) {
  const auto record = read_report(path);
  if (record) return RecordFile::Result;
  if (record.error().code == ErrorCode::RecordKind) return RecordFile::Instructions;
  return std::unexpected(record.error());
}

template <class T>
Expected<Comparison> compare_two(const CompareOptions& options, Expected<T> (*read)(const std::filesystem::path&)) {
  const auto before = WARPCLOCK_TRY(read(options.before));
  const auto after = WARPCLOCK_TRY(read(options.after));
  return compare(before, after);
}

Expected<Comparison> compare_files(const CompareOptions& options) {
  const auto before = WARPCLOCK_TRY(kind_of_file(options.before));
  const auto after = WARPCLOCK_TRY(kind_of_file(options.after));
  if (before != after) {
    return fail(ErrorCode::RecordKind, fmt::format("{} is {}, {} is {}: only two of a kind can be compared",
                                                   options.before, words(before), options.after, words(after)));
  }
  return before == RecordFile::Result ? compare_two(options, read_report) : compare_two(options, read_instructions);
}

Expected<int> run_compare(const CompareOptions& options) {
  const auto comparison = WARPCLOCK_TRY(compare_files(options));
  fmt::print("{}", options.json ? compare_json(comparison) : compare_text(comparison));
  return comparison.agree() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "compare", "Print what does not agree between two result.json files, or two instructions.json");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("before", options->before, "A result.json or instructions.json")->required()->type_name("FILE");
  command->add_option("after", options->after, "A result.json or instructions.json")->required()->type_name("FILE");
  command->add_flag("--json", options->json, "Machine-readable");
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace warpclock
