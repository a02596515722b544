#include "compile/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "code/toolkit.hpp"
#include "compile/batch.hpp"
#include "compile/cache.hpp"
#include "compile/compiler/compiler.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "compile/compiler/source_file.hpp"
#include "compile/ptxas.hpp"

namespace warpclock {
namespace {

bool reads_clock(std::string_view line) {
  const auto at = line.find("%clock");
  if (at == line.npos || line.starts_with("//")) return false;
  // %clock_hi and similar names are other registers.
  const auto rest = line.substr(at + 6);
  return rest.starts_with(";") || rest.starts_with("64;");
}

bool opens_entry(std::string_view line, std::string_view symbol) {
  const auto at = line.find(".entry ");
  if (at == line.npos) return false;
  const auto name = line.substr(at + 7);
  return name.starts_with(symbol) && (name.size() == symbol.size() || name[symbol.size()] == '(');
}

}  // namespace

std::string ptx_window(std::string_view ptx, std::string_view symbol) {
  bool inside = false;
  bool open = false;
  std::string window;
  std::size_t closed = 0;
  while (!ptx.empty()) {
    const auto end = ptx.find('\n');
    const auto line = trim(ptx.substr(0, end));
    ptx = end == ptx.npos ? std::string_view{} : ptx.substr(end + 1);
    if (!inside) {
      inside = opens_entry(line, symbol);
      continue;
    }
    if (line.find(".entry ") != line.npos || line.find(".func ") != line.npos) break;
    if (reads_clock(line)) {
      // Any later read may be the last one, so everything before it is the window so far.
      if (open) {
        closed = window.size();
        window.append(line).append("\n");
      }
      open = true;
    } else if (open && !line.empty() && line != "// begin inline asm" && line != "// end inline asm") {
      window.append(line).append("\n");
    }
  }
  window.resize(closed);
  return window;
}

namespace {

/// How to compile these cases as one module: probes as CUDA C++, generated ones as PTX. Error "compile-error" if the
/// sources lack something.
Expected<CompileRequest> case_request(const std::vector<const Case*>& members, const Sources& sources,
                                      const Target& target) {
  CompileRequest request;
  request.target = target;
  if (is_generated(members.front()->kernel)) {
    request.unit = WARPCLOCK_TRY(ptx_module(members, sources, target));
    return request;
  }
  std::set<std::string> paths;
  for (const Case* member : members) {
    if (paths.contains(member->kernel)) continue;
    const auto included = WARPCLOCK_TRY(included_sources(member->kernel, sources));
    paths.insert(included.begin(), included.end());
  }
  request.unit = translation_unit(members, sources);
  for (const auto& path : paths) request.headers.emplace_back(path, sources.at(path));
  if (foreign_headers(mapped(members, &Case::kernel), sources).empty()) return request;
  for (const std::string& folder : toolkit_includes()) request.options.push_back("--include-path=" + folder);
  request.headers.insert(request.headers.end(), standard_headers().begin(), standard_headers().end());
  return request;
}

/// The key of a case in the cache: all that determines its machine code, `request` being that of the case alone.
/// `tools` tells installed compilers and disassemblers apart.
std::string case_key(const CompileRequest& request, const std::vector<std::string>& tools) {
  Hash hash;
  hash.add_field("case of words").add_field(request.unit);
  for (const std::string& tool : tools) hash.add_field(tool);
  for (const auto& option : compile_options(request.target)) hash.add_field(option);
  for (const auto& option : request.options) hash.add_field(option);
  for (const auto& [path, text] : request.headers) hash.add_field(path).add_field(text);
  if (!request.options.empty()) {
    for (const std::string& folder : toolkit_includes()) hash.add_field(tool_identity(folder));
  }
  return hash.hex();
}

using Result = Expected<Build>;

/// One call of build(): first all cases are looked up in the cache, then the missing ones are compiled. Both steps use
/// all threads.
class Builder {
 public:
  Builder(const std::vector<Case>& cases, const Sources& sources, const BuildOptions& options, Cache cache,
          Expected<std::string> nvdisasm)
      : cases_(cases),
        sources_(sources),
        options_(options),
        cache_(std::move(cache)),
        nvdisasm_(std::move(nvdisasm)),
        results_(cases.size()),
        keys_(cases.size()),
        targets_(cases.size()) {
    threads_ = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    if (nvdisasm_) nvdisasm_identity_ = nvdisasm_identity(*nvdisasm_);
    if (ptxas_) ptxas_identity_ = ptxas_identity(*ptxas_);
  }

  std::vector<Result> run() {
    std::deque<Batch> each;
    for (std::size_t i = 0; i < cases_.size(); ++i) each.push_back({{}, {i}});
    drain(std::move(each), [this](const Batch& one) { look_up(one.cases.front()); });

    // Cases along an axis share a kernel, and so do cases that differ only in macros that their probe does not name.
    std::vector<Order> missing;
    std::map<std::string_view, std::size_t> first;
    std::vector<std::pair<std::size_t, std::size_t>> equal;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (results_[i]) continue;
      const auto [at, fresh] = first.emplace(keys_[i], i);
      if (fresh) {
        missing.push_back({i, targets_[i]});
      } else {
        equal.emplace_back(i, at->second);
      }
    }
    const auto batches = plan_batches(missing, cases_, threads_);
    drain({batches.begin(), batches.end()}, [this](const Batch& batch) {
      ++compiling_;
      try {
        make(batch);
      } catch (const std::exception& problem) {
        fail_all(batch, Error{"build", problem_in(problem), {}});
      }
      --compiling_;
      reader_.read_waiting(more_to_come());
    });
    for (const auto& [i, same] : equal) finish(i, *results_[same]);
    if (!missing.empty()) cache_.prune();

    std::vector<Result> results;
    for (auto& result : results_) results.push_back(std::move(result).value());
    return results;
  }

 private:
  /// Works through a queue to which the work itself may add.
  template <class Work>
  void drain(std::deque<Batch> queue, Work work) {
    queue_ = std::move(queue);
    busy_ = 0;
    // A failed batch returns to the queue in parts, so up to one thread for each case may find work.
    std::size_t wanted = 0;
    for (const Batch& batch : queue_) wanted += batch.cases.size();
    const auto loop = [&] {
      std::unique_lock lock(mutex_);
      while (true) {
        changed_.wait(lock, [&] { return !queue_.empty() || busy_ == 0; });
        if (queue_.empty()) return;
        const Batch batch = std::move(queue_.front());
        queue_.pop_front();
        ++busy_;
        lock.unlock();
        try {
          work(batch);
        } catch (const std::exception& problem) {
          for (const std::size_t i : batch.cases) finish(i, fail("build", problem_in(problem)));
        }
        lock.lock();
        --busy_;
        changed_.notify_all();
      }
    };
    work_at_once(std::min<std::size_t>(threads_, wanted), loop);
  }

  void retry(const std::vector<Batch>& parts) {
    const std::lock_guard lock(mutex_);
    queue_.insert(queue_.begin(), parts.begin(), parts.end());
    changed_.notify_all();
  }

  void finish(std::size_t i, Result result) {
    const std::lock_guard lock(finishing_);
    if (results_[i]) return;
    if (result) result->warning = cache_.warning();
    results_[i] = std::move(result);
    if (options_.progress) options_.progress(++done_, cases_.size());
  }

  void fail_all(const Batch& batch, const Error& error) {
    for (const std::size_t i : batch.cases) finish(i, std::unexpected(error));
  }

  void look_up(std::size_t i) {
    const Case& c = cases_[i];
    if (c.skip) return finish(i, std::unexpected(*c.skip));
    if (c.repeats.empty()) return finish(i, fail("compile-error", "the case has no repeat count"));
    const auto target = target_for(c.arch);
    if (!target) return finish(i, std::unexpected(target.error()));
    const auto request = case_request({&c}, sources_, *target);
    if (!request) return finish(i, std::unexpected(request.error()));
    if (!target->is_ptx && !nvdisasm_) return finish(i, std::unexpected(nvdisasm_.error()));

    targets_[i] = *target;
    const bool generated = is_generated(c.kernel);
    if (generated && !ptxas_) return finish(i, std::unexpected(ptxas_.error()));
    std::vector<std::string> tools = {generated ? ptxas_identity_ : nvrtc_identity()};
    if (!target->is_ptx) tools.push_back(nvdisasm_identity_);
    keys_[i] = case_key(*request, tools);
    if (auto found = cache_.find(keys_[i], ending_of(*target))) deliver(i, *std::move(found), true);
  }

  static const char* ending_of(const Target& target) { return target.is_ptx ? ".ptx" : ".cubin"; }

  /// Turns the entry of a case into its Build.
  void deliver(std::size_t i, FoundCase found, bool cached) {
    const CachedCase& entry = found.entry;
    Build build;
    build.cubin_path = cache_.path(entry.image);
    build.is_ptx = targets_[i].is_ptx;
    build.cached = cached;
    if (options_.ptx) build.ptx = entry.ptx;
    for (const auto& [n, symbol] : entry.kernels) {
      Kernel kernel{n, symbol, {}};
      const auto listing = std::ranges::find(found.listings, symbol, &Listing::kernel);
      if (listing != found.listings.end()) {
        kernel.listing = std::move(*listing);
      } else if (!build.is_ptx) {
        return finish(i, fail("listing", fmt::format("nvdisasm printed no kernel {}", symbol)));
      }
      build.kernels.push_back(std::move(kernel));
    }
    finish(i, std::move(build));
  }

  void make(const Batch& batch) {
    const auto members = mapped(batch.cases, [&](const std::size_t i) { return &cases_[i]; });
    auto asked = case_request(members, sources_, batch.target);
    if (!asked) return fail_all(batch, asked.error());
    CompileRequest request = *std::move(asked);
    request.limit = options_.compile_limit * static_cast<int>(30 + kernels_of(batch, cases_)) / 30;
    request.memory = options_.compile_memory;
    const bool generated = is_generated(members.front()->kernel);
    const Compilation compiled = generated ? assemble(*ptxas_, request) : compile(request);
    if (compiled.status != Compilation::Status::Done) {
      if (batch.cases.size() > 1) {
        return retry(compiled.status == Compilation::Status::Failed ? halves(batch) : singles(batch));
      }
      return fail_all(batch, error_of(*members.front(), std::move(request), compiled));
    }
    const auto image = cache_.store_image(compiled.image, ending_of(batch.target));
    if (!image) return fail_all(batch, image.error());

    Module module{batch, *image, compiled.image, compiled.ptx};
    if (batch.target.is_ptx) return keep_all(module, {});
    reader_.add(std::move(module));
  }

  /// Why a case does not compile. Only PTX compiled with line information shows where a statement that ptxas rejected
  /// came from.
  static Error error_of(const Case& c, CompileRequest request, const Compilation& compiled) {
    const bool by_ptxas = compiled.status == Compilation::Status::Failed && compiled.log.starts_with("ptxas");
    request.line_info = true;
    Error error = compile_error(by_ptxas && !is_generated(c.kernel) ? compile(request) : compiled);
    if (compiled.status == Compilation::Status::Died) error.place = c.kernel;
    return error;
  }

  bool more_to_come() {
    const std::lock_guard lock(mutex_);
    return !queue_.empty() || compiling_ > 0;
  }

  void keep_all(const Module& module, const std::map<std::string, std::string_view>& sections) {
    for (std::size_t at = 0; at < module.batch.cases.size(); ++at) keep(module, at, sections);
  }

  void keep(const Module& module, std::size_t at, const std::map<std::string, std::string_view>& sections) {
    const std::size_t i = module.batch.cases[at];
    CachedCase entry{module.image, {}, {}, {}};
    const auto append = [&](const std::string& section) {
      if (const auto found = sections.find(section); found != sections.end()) entry.listing += found->second;
      entry.listing += '\n';
    };
    append("");
    for (const std::int64_t n : cases_[i].repeats) {
      entry.kernels.emplace_back(n, kernel_symbol(at, n));
      append(entry.kernels.back().second);
    }
    entry.ptx = ptx_window(module.ptx, kernel_symbol(at, std::ranges::min(cases_[i].repeats)));
    auto listings = cache_.listings(entry);
    if (!listings) return finish(i, std::unexpected(listings.error()));
    cache_.store(keys_[i], entry);
    deliver(i, {std::move(entry), *std::move(listings)}, false);
  }

  const std::vector<Case>& cases_;
  const Sources& sources_;
  const BuildOptions& options_;
  Cache cache_;
  const Expected<std::string> nvdisasm_, ptxas_ = find_ptxas();
  std::string nvdisasm_identity_, ptxas_identity_;
  unsigned threads_ = 1;

  std::vector<std::optional<Result>> results_;
  std::vector<std::string> keys_;
  std::vector<Target> targets_;

  std::mutex mutex_;  ///< guards the queue
  std::condition_variable changed_;
  std::deque<Batch> queue_;
  std::size_t busy_ = 0;
  std::atomic<int> compiling_ = 0;

  std::mutex finishing_;
  std::size_t done_ = 0;
  ModuleReader reader_{nvdisasm_,
                       cache_,
                       {.keep = [this](const auto& module, const auto& sections) { keep_all(module, sections); },
                        .fail = [this](const auto& batch, const auto& error) { fail_all(batch, error); },
                        .retry = [this](const auto& parts) { retry(parts); }}};
};

}  // namespace

std::vector<Expected<Build>> build(const std::vector<Case>& cases, const Sources& sources,
                                   const BuildOptions& options) {
  return Builder(cases, sources, options, Cache::open(options.cache_dir), find_nvdisasm(options.nvdisasm)).run();
}

}  // namespace warpclock
