#include "cli/options/sheet_format.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace warpclock {

void SheetFormat::add_options(CLI::App& command, bool tables) {
  auto* as_json = command.add_flag("--json", json, "Machine-readable");
  if (tables) command.add_flag("--csv", csv, "The rows as a table for other programs")->excludes(as_json);
}

void print(const Sheet& sheet, const SheetFormat& format) {
  fmt::print("{}", format.json  ? pretty(to_json(sheet))
                   : format.csv ? to_csv(sheet)
                                : to_text(sheet, Style(Stream::Out)));
}

}  // namespace warpclock
