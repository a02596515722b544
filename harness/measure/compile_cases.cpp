#include "measure/compile_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/elapsed.hpp"
#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files/file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"

namespace warpclock {

const Verdict* CompiledCase::rejection() const {
  const auto found = std::ranges::find_if(verdicts, [](const Verdict& verdict) { return !verdict.verified(); });
  return found == verdicts.end() ? nullptr : &*found;
}

bool CompiledCase::verified() const { return build && !verdicts.empty() && rejection() == nullptr; }

std::optional<Error> why_none_compiled(const std::vector<Expected<Build>>& builds) {
  const Error* first = nullptr;
  std::size_t failures = 0;
  for (const Expected<Build>& one : builds) {
    if (one) return std::nullopt;
    if (one.error().code == ErrorCode::UnsupportedArch) continue;
    if (!one.error().place.empty()) return std::nullopt;
    if (first != nullptr && (one.error().code != first->code || one.error().text != first->text)) return std::nullopt;
    first = &one.error();
    ++failures;
  }
  if (failures < 2) return std::nullopt;
  return Error{first->code,
               fmt::format("none of {} kernels could be compiled, all for the same reason: {}; `warpclock doctor` says "
                           "what is missing and how to install it",
                           failures, first->text),
               ""};
}

namespace {

/// "; shuffle/latency.cu never calls report()": of the calls that time a window, those that neither the kernel nor what
/// it includes has. Empty if it has all.
std::string calls_missing(const std::string& kernel, const Sources& sources) {
  const auto files = included_sources(kernel, sources);
  std::string code;
  for (const std::string& file : files.value_or(std::vector<std::string>{}))
    if (file != "probe.cuh") code += sources.at(file);
  std::vector<std::string> missing;
  for (const char* call : {"open(", "close(", "report"})
    if (!code.contains(call))
      missing.push_back(fmt::format("{}()", std::string_view(call).substr(0, std::string_view(call).find('('))));
  return missing.empty() || code.empty() ? "" : fmt::format("; {} never calls {}", kernel, join(missing, " or "));
}

/// Once for a process.
void tell_warning(const std::vector<Expected<Build>>& builds) {
  static std::string told;
  const auto bad = std::ranges::find_if(builds, [](const auto& one) { return one && !one->warning.empty(); });
  if (bad == builds.end() || (*bad)->warning == told) return;
  told = (*bad)->warning;
  fmt::print(stderr, "{} {}\n", Style(Stream::Err).yellow("warning:"), printable(told));
}

}  // namespace

Expected<std::vector<CompiledCase>> compile_cases(const std::vector<Case>& cases, const Sources& sources,
                                                  const CompileCasesOptions& options) {
  auto nvdisasm = WARPCLOCK_TRY(find_nvdisasm(options.nvdisasm));
  BuildOptions how;
  how.cache_dir = options.cache_dir.empty() ? cache_dir().string() : options.cache_dir;
  how.nvdisasm = nvdisasm;
  how.ptx = options.ptx;
  const bool show_progress = !options.quiet && is_terminal(Stream::Err);
  if (show_progress)
    how.progress = [](std::size_t done, std::size_t total) {
      fmt::print(stderr, "\rcompiling and disassembling {}/{}{}", done, total, done == total ? "\r\033[K" : "");
      std::fflush(stderr);
    };

  std::vector<CompiledCase> compiled;
  compiled.reserve(cases.size());
  std::vector<Expected<Build>> builds = build(cases, sources, how);
  tell_warning(builds);
  if (auto why = why_none_compiled(builds)) return std::unexpected(*std::move(why));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CompiledCase one{std::move(builds[i]), {}};
    if (one.build)
      for (const Kernel& kernel : one.build->kernels)
        one.verdicts.push_back(verify(kernel.listing, cases[i].expect, cases[i].parameters, kernel.n));
    for (Verdict& verdict : one.verdicts)
      if (verdict.rule == "two-reads") verdict.text += calls_missing(cases[i].kernel, sources);
    compiled.push_back(std::move(one));
  }
  return compiled;
}

namespace {

// The first part has this fraction of the kernels, which keeps the GPU busy until the rest is ready.
constexpr std::size_t first_share = 4;

}  // namespace

CaseCompiler::CaseCompiler(const std::vector<Case>& cases, const Sources& sources, CompileCasesOptions options,
                           std::vector<CompiledCase>& compiled)
    : cases_(cases), sources_(sources), options_(std::move(options)), compiled_(compiled) {
  compiled_.resize(cases.size());
  std::size_t kernels = 0, seen = 0;
  for (const Case& one : cases_) kernels += one.repeats.size();
  while (end_of_first_ < cases_.size() && seen * first_share < kernels) seen += cases_[end_of_first_++].repeats.size();
  first_ = std::async(std::launch::async, [this] { return compile(0, end_of_first_); }).share();
  rest_ = std::async(std::launch::async, [this]() -> Expected<void> {
            const Expected<void> first = first_.get();
            return !first || stop_ ? first : compile(end_of_first_, cases_.size());
          }).share();
}

Expected<void> CaseCompiler::compile(std::size_t from, std::size_t to) {
  if (from == to) return {};
  const std::vector<Case> part(cases_.begin() + static_cast<std::ptrdiff_t>(from),
                               cases_.begin() + static_cast<std::ptrdiff_t>(to));
  auto compiled = WARPCLOCK_TRY(caught("", [&] { return compile_cases(part, sources_, options_); }));
  options_.quiet = true;  // rows are printed from here on
  std::ranges::move(compiled, compiled_.begin() + static_cast<std::ptrdiff_t>(from));
  seconds_ = seconds_since(started_);
  return {};
}

Expected<void> CaseCompiler::wait(std::size_t i) { return (i < end_of_first_ ? first_ : rest_).get(); }

Expected<double> CaseCompiler::finish() {
  const Expected<void> done = rest_.get();
  if (!done) return std::unexpected(done.error());
  return seconds_;
}

}  // namespace warpclock
