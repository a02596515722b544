#include "report/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/report_folder.hpp"

namespace warpclock {
namespace {

struct CompareOptions {
  std::string before, after;
  bool json = false;
};

int run_compare(const CompareOptions& options) {
  auto before = read_report(options.before);
  if (!before) return complain(before.error());
  auto after = read_report(options.after);
  if (!after) return complain(after.error());
  const Comparison comparison = compare(*before, *after);
  fmt::print("{}", options.json ? compare_json(comparison) : compare_text(comparison));
  return comparison.agree() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("compare", "Print what does not agree between two result.json files");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("before", options->before, "A result.json")->required()->type_name("FILE");
  command->add_option("after", options->after, "A result.json")->required()->type_name("FILE");
  command->add_flag("--json", options->json, "Machine-readable");
  command->callback([options, &action] { action = [options] { return run_compare(*options); }; });
}

}  // namespace warpclock
