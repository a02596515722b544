#pragma once

#include <string>

#include "base/sheet/sheet.hpp"
#include "gate/gate.hpp"

namespace warpclock {

/// A line for each kernel: the verdict, cycles before and after, the change, and what changed.
[[nodiscard]] Sheet gate_sheet(const Gate& gate);

/// The same as a table of GitHub-flavoured Markdown, for the summary of a job or a comment.
[[nodiscard]] std::string gate_markdown(const Gate& gate);

/// SARIF 2.1.0: a result for each kernel that is slower (an error), unclear or without a number (warnings).
[[nodiscard]] std::string gate_sarif(const Gate& gate);

/// JUnit as CI servers read it: a suite for each GPU, a test case for each kernel; slower is a failure, unclear or
/// without a number an error, or a skipped test if these pass.
[[nodiscard]] std::string gate_junit(const Gate& gate, bool unknown_passes);

}  // namespace warpclock
