#include <cstdio>
#include <exception>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  try {
    return warpclock::dispatch(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpclock: %s\n", error.what());
    return 2;
  }
}
