#include <cstdio>
#include <exception>

#include "base/output.hpp"
#include "cli/command.hpp"
#include "measure/inputs.hpp"

namespace {

int carry_out(int argc, char** argv) {
  try {
    return warpclock::dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpclock: %s\n", error.what());
    return 2;
  }
}

}  // namespace

int main(int argc, char** argv) {
  warpclock::open_output();
  const int status = carry_out(argc, argv);
  const auto closed = warpclock::close_output();
  return closed ? status : warpclock::complain(closed.error());
}
