#include "measure/case_compiler.hpp"

#include <algorithm>
#include <utility>

#include "base/caught.hpp"
#include "base/elapsed.hpp"

namespace warpclock {
namespace {

// The first part has this fraction of the kernels, which keeps the GPU busy until the rest is ready.
constexpr std::size_t first_share = 4;

}  // namespace

CaseCompiler::CaseCompiler(const std::vector<Case>& cases, const Sources& sources, CompileCasesOptions options,
                           std::vector<CompiledCase>& compiled)
    : cases_(cases), sources_(sources), options_(std::move(options)), compiled_(compiled) {
  compiled_.resize(cases.size());
  thread_ = std::thread([this] { work(); });
}

CaseCompiler::~CaseCompiler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

std::size_t CaseCompiler::end_of_first_part() const {
  std::size_t kernels = 0, seen = 0, end = 0;
  for (const Case& one : cases_) kernels += one.repeats.size();
  while (end < cases_.size() && seen * first_share < kernels) seen += cases_[end++].repeats.size();
  return end;
}

void CaseCompiler::work() {
  for (std::size_t from = 0, to = end_of_first_part(); from < cases_.size(); from = to, to = cases_.size()) {
    const std::vector<Case> part(cases_.begin() + static_cast<std::ptrdiff_t>(from),
                                 cases_.begin() + static_cast<std::ptrdiff_t>(to));
    auto compiled = caught("", [&] { return compile_cases(part, sources_, options_); });
    options_.quiet = true;  // rows are printed from here on
    const std::lock_guard lock(mutex_);
    if (!compiled) error_ = compiled.error();
    if (compiled) std::ranges::move(*compiled, compiled_.begin() + static_cast<std::ptrdiff_t>(from));
    known_ = to;
    seconds_ = seconds_since(started_);
    changed_.notify_all();
    if (error_ || stop_) return;
  }
}

Expected<void> CaseCompiler::wait(std::size_t i) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || i < known_; });
  if (error_) return std::unexpected(*error_);
  return {};
}

Expected<double> CaseCompiler::finish() {
  if (thread_.joinable()) thread_.join();
  if (error_) return std::unexpected(*error_);
  return seconds_;
}

}  // namespace warpclock
