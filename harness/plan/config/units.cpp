#include "plan/config/scalar.hpp"

namespace warpclock {

const std::vector<std::string>& units() {
  static const std::vector<std::string> all = {"cycles", "1/clk/SM", "B/clk/SM", "FMA/clk/SM", "B",   "%",
                                               "ns",     "GB/s",     "count",    "W",          "MHz", "1"};
  return all;
}

}  // namespace warpclock
