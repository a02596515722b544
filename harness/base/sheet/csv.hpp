#pragma once

#include <string>
#include <vector>

namespace warpclock {

/// The fields as a line of CSV by RFC 4180, with its end. What has a comma, a quote, a line end or a blank is quoted.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

}  // namespace warpclock
