#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/ask/answer.hpp"
#include "cli/command.hpp"
#include "cli/options/options.hpp"
#include "cli/options/sheet_format.hpp"

namespace warpclock {
namespace {

struct AskOptions {
  std::vector<std::string> words;
  GpuChoice gpu;
  SheetFormat format;
};

Expected<int> ask(const AskOptions& options) {
  const auto& known = known_search_words();
  if (!known) return std::unexpected(known.error());
  const Library library(WARPCLOCK_TRY(chosen_reports(options.gpu)));
  const std::string text = join(options.words, " ");
  const Finding finding = find_answer(text, library, *known);
  print(answer_sheet(text, finding, library, *known), options.format);
  return finding.answered && finding.hits.front().has_numbers() ? 0 : 2;
}

}  // namespace

void add_ask(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("ask", "Find the number that answers a question, on all measured GPUs");
  auto options = std::make_shared<AskOptions>();
  add_value(*command, "words", "WORDS", options->words,
            "An instruction of PTX or a machine instruction, a name of CUDA, a topic, parameters: any words")
      ->required();
  add_reports_options(*command, options->gpu);
  options->format.add_options(*command, false);
  command->footer(
      "Examples:\n"
      "  warpclock ask 4-way bank conflict\n"
      "  warpclock ask __syncthreads with 8 warps\n"
      "  warpclock ask 'wgmma m64n128k16 f16, A in registers'\n"
      "  warpclock ask dram bandwidth --json | jq '.answer[0].\"number.h200\"'\n"
      "The first answer counts; exit status 2 if the records have none. Words that it has not are named as ignored.");
  command->callback([options, &action] { action = [options] { return ask(*options); }; });
}

}  // namespace warpclock
