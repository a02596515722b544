#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "execute/given_arguments.hpp"

namespace warpclock {

struct LaunchOption {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t dynamic_bytes = 0;
};

/// "132,256", "32x32,32x8,4096". Error "option".
[[nodiscard]] Expected<LaunchOption> launch_option(const std::string& text);

/// Bytes: "4096", "0x4000000", "64MiB"; nothing if it says no number above 0, or more than a TiB.
[[nodiscard]] std::optional<std::int64_t> bytes_of_size(std::string_view text);

/// What --arg and --buffer say: "3=4096", "0=64MiB", "0=64MiB:iota". Error "option".
[[nodiscard]] Expected<GivenArguments> argument_options(const std::vector<std::string>& values,
                                                        const std::vector<std::string>& buffers);

/// Both sides of "WHAT=VALUE". Error "option".
[[nodiscard]] Expected<std::pair<std::string, std::string>> option_halves(const std::string& option,
                                                                          const std::string& text);

/// The words of all options of one name: each may hold several, "0=256,1=4".
[[nodiscard]] std::vector<std::string> option_pieces(const std::vector<std::string>& texts);

}  // namespace warpclock
