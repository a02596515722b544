#include <cstddef>

#include "base/terminal.hpp"
#include "cli/command.hpp"
#include "compile/compiler/compiler.hpp"
#include "measure/inputs.hpp"

int main(int argc, char** argv) {
  warpclock::open_output();
  const int status = warpclock::guarded({argv, static_cast<std::size_t>(argc)}, [&] {
    if (const auto compiled = warpclock::compiler_process(argc, argv)) return *compiled;
    return warpclock::dispatch(argc, argv);
  });
  const auto closed = warpclock::close_output();
  return closed ? status : warpclock::complain(closed.error());
}
