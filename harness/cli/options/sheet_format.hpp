#pragma once

#include "base/sheet/sheet.hpp"

namespace CLI {
class App;
}

namespace warpclock {

/// How a sheet is printed.
struct SheetFormat {
  bool json = false, csv = false;

  /// --json, and --csv where tables are what the command prints.
  void add_options(CLI::App& command, bool tables = false);
};

/// On standard output.
void print(const Sheet& sheet, const SheetFormat& format);

}  // namespace warpclock
