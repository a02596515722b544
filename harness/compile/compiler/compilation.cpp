#include "compile/compiler/compilation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace warpclock {
namespace {

std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  return line;
}

std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return std::nullopt;
  return number;
}

/// The text after the first `mark` in the line.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == line.npos) return std::nullopt;
  return line.substr(at + mark.size());
}

struct PtxPosition {
  std::string place;
  std::string statement;
};

/// The source position that the .loc lines give for a line of the PTX.
PtxPosition ptx_position(const Compilation& compilation, int wanted) {
  std::string_view ptx = compilation.ptx;
  std::map<int, std::string> files;
  int file = 0, source_line = 0, number = 0;
  std::string statement;
  while (!ptx.empty()) {
    const auto line = trim(next_line(ptx));
    if (++number <= wanted && line.starts_with(".loc")) {
      const auto rest = trim(line.substr(4));
      file = leading_number(rest).value_or(0);
      const auto blank = rest.find_first_of(" \t");
      source_line = blank == rest.npos ? 0 : leading_number(trim(rest.substr(blank))).value_or(0);
    } else if (number == wanted) {
      statement = std::string(line);
    } else if (line.starts_with(".file")) {
      // The table of files comes last: .file 1 "shuffle/latency.cu"
      const auto open = line.find('"');
      const auto close = line.rfind('"');
      if (open != line.npos && close > open) {
        files[leading_number(trim(line.substr(5))).value_or(0)] = std::string(line.substr(open + 1, close - open - 1));
      }
    }
  }
  PtxPosition position{{}, std::move(statement)};
  // The table lists files as if they were in the current folder.
  for (const std::string& header : compilation.headers) {
    if (source_line > 0 && files[file].ends_with("/" + header))
      position.place = fmt::format("{}:{}", header, source_line);
  }
  return position;
}

/// "shuffle/latency.cu(12): error: identifier "x" is undefined"
std::optional<Error> front_end_error(std::string_view line) {
  const auto close = line.find("): ");
  if (close == line.npos) return std::nullopt;
  const auto open = line.rfind('(', close);
  const auto said = line.substr(close + 3);
  if (open == line.npos || !leading_number(line.substr(open + 1))) return std::nullopt;
  if (!said.starts_with("error") && !said.starts_with("catastrophic error") && !said.starts_with("internal error")) {
    return std::nullopt;
  }
  const auto text = after(said, ": ").value_or(said);
  return Error{"compile-error", std::string(trim(text)),
               fmt::format("{}:{}", line.substr(0, open), line.substr(open + 1, close - open - 1))};
}

/// What the host compiler that nvcc starts says: "a.cu:3:10: fatal error: far.h: No such file or directory"
std::optional<Error> host_error(std::string_view line) {
  for (const std::string_view mark : {": fatal error: ", ": error: "}) {
    const auto text = after(line, mark);
    if (!text) continue;
    const std::string_view place = line.substr(0, line.find(mark));
    const auto column = place.rfind(':');
    const auto number = column == place.npos ? column : place.rfind(':', column - 1);
    if (number == place.npos || !leading_number(place.substr(number + 1))) continue;
    return Error{"compile-error", std::string(trim(*text)), std::string(place.substr(0, column))};
  }
  return std::nullopt;
}

/// "ptxas application ptx input, line 56; error   : Unknown modifier '.bogus'", "ptxas error   : Entry function ..."
std::optional<Error> back_end_error(std::string_view line, const Compilation& compilation) {
  if (!line.starts_with("ptxas")) return std::nullopt;
  const bool counts = line.find("error") != line.npos || line.find("fatal") != line.npos;
  const auto text = after(line, " : ");
  if (!counts || !text) return std::nullopt;
  Error error{"compile-error", std::string(trim(*text)), {}};
  if (const auto number = after(line, ", line ").and_then(leading_number)) {
    const PtxPosition position = ptx_position(compilation, *number);
    error.place = position.place;
    if (!position.statement.empty()) error.text += fmt::format(" in `{}`", position.statement);
  }
  return error;
}

}  // namespace

Error compile_error(const Compilation& compilation) {
  if (compilation.status == Compilation::Status::Cancelled) {
    return {"compile-error", "the compilation took too long and was given up; lower the probe's repeat counts", {}};
  }
  if (compilation.status == Compilation::Status::Died) return {"compiler-died", compilation.log, {}};
  std::string_view log = compilation.log;
  std::string first;
  while (!log.empty()) {
    const auto line = trim(next_line(log));
    if (auto error = front_end_error(line)) return *std::move(error);
    if (auto error = back_end_error(line, compilation)) return *std::move(error);
    if (auto error = host_error(line)) return *std::move(error);
    if (first.empty()) first = line;
  }
  return {"compile-error", first.empty() ? "the compiler failed and gave no reason" : first, {}};
}

}  // namespace warpclock
