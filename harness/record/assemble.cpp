#include "record/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/estimates.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "gpu/launch/clock.hpp"

namespace warpclock {

std::string sass_line(const Instruction& instruction) {
  const Control& control = instruction.control;
  std::string waits = "------";
  for (unsigned i = 0; i < 6; ++i) {
    if ((control.wait_mask >> i & 1u) != 0) waits[i] = static_cast<char>('0' + i);
  }
  const auto barrier = [](int number) { return number < 0 ? std::string("-") : std::to_string(number); };
  return fmt::format("B{}:R{}:W{}:{}:S{:02}  {}{}", waits, barrier(control.read_barrier),
                     barrier(control.write_barrier), control.yield ? 'Y' : '-', control.stall,
                     instruction.predicate.empty() ? "" : "@" + instruction.predicate + " ", instruction.text);
}

namespace {

/// The window, including both clock reads. Beyond `most_sass_lines` the middle is left out, and a line says so.
std::vector<std::string> sass_lines(const Listing& listing, const Verdict& verdict) {
  std::vector<std::string> lines;
  const std::size_t end = std::min(verdict.close + 1, listing.instructions.size());
  if (verdict.close <= verdict.open || verdict.open >= end) return lines;
  const std::size_t count = end - verdict.open;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > most_sass_lines && i == most_sass_lines / 2) {
      lines.push_back(fmt::format("... {} more instructions ...", count - most_sass_lines));
      i += count - most_sass_lines;
    }
    lines.push_back(sass_line(listing.instructions[verdict.open + i]));
  }
  return lines;
}

Row ended(Row record, Outcome outcome, std::string stage, std::string code, std::string text) {
  record.outcome = outcome;
  record.reason = {std::move(stage), std::move(code), std::move(text)};
  record.estimates.clear();
  return record;
}

Row described(const Case& one) {
  Row record;
  record.id = one.id;
  record.probe = one.probe;
  record.family = one.family;
  record.arch = to_string(one.arch);
  record.parameters = one.parameters;
  record.measures = one.measures;
  record.premise_rules = one.premises;
  record.window.label = one.label;
  return record;
}

/// Whether every window is verified. If not, the record is that of the first one that is not.
bool judge_windows(Row& record, const Build& build, const std::vector<Verdict>& verdicts) {
  WindowRecord& window = record.window;
  record.ptx = build.ptx;
  if (verdicts.empty() || verdicts.size() != build.kernels.size()) {
    window.verdict = "unverified";
    record = ended(std::move(record), Outcome::Rejected, "verify", "unverified",
                   build.is_ptx ? "the driver made this GPU's machine code, and nothing here can read it; a newer CUDA "
                                  "Toolkit can"
                                : "there is no machine code to verify");
    return false;
  }
  const auto rejection = std::ranges::find_if(verdicts, [](const Verdict& v) { return !v.verified(); });
  const bool verified = rejection == verdicts.end();
  const std::size_t shown = verified ? 0 : static_cast<std::size_t>(rejection - verdicts.begin());

  Hash hash;
  for (const Verdict& verdict : verdicts) {
    hash.add_field(verdict.sass_hash);
    if (!window.encoded_cycles) window.encoded_cycles = verdict.encoded_cycles;
  }
  window.verdict = verdicts[shown].code;
  window.opcodes = verdicts[shown].opcodes;
  window.sass_hash = hash.hex();
  window.sass = sass_lines(build.kernels[shown].listing, verdicts[shown]);
  if (!verified) {
    record = ended(std::move(record), Outcome::Rejected, "verify", rejection->code,
                   fmt::format("at n = {}: {}", build.kernels[shown].n, rejection->text));
  }
  return verified;
}

const std::string shared_mark = "not shared: microseconds that ";

const std::string moved_mark = "steady clock: percent between the readings of the SM clock around its launches";
const std::string timer_mark = "right clock: %globaltimer in units of the host's clock";

bool is_shared_mark(const Premise& premise) { return premise.text.starts_with(shared_mark); }

/// Marks say what a reader must know of the row, and reject nothing.
bool is_mark(const Premise& premise) {
  return is_shared_mark(premise) || premise.text == moved_mark || premise.text == timer_mark;
}

bool is_counter(const Measure& measure) { return measure.method == Method::Counter; }

}  // namespace

Row assemble(const Case& one, const Expected<Build>& build, const std::vector<Verdict>& verdicts,
             const Expected<Observation>* observation, const std::map<std::string, double>& metrics) {
  Row record = described(one);
  if (one.skip) {
    return ended(std::move(record), Outcome::Skipped, "plan", one.skip->code, one.skip->text);
  }
  if (!build) {
    const Error& error = build.error();
    const bool lacks = error.code == ErrorCode::UnsupportedArch;
    return ended(std::move(record), lacks ? Outcome::Skipped : Outcome::Failed, lacks ? "plan" : "compile", error.code,
                 error.message());
  }
  if (!judge_windows(record, *build, verdicts)) return record;
  if (!observation) {
    return ended(std::move(record), Outcome::Skipped, "run", std::string(word(ErrorCode::NotRun)),
                 "verified, and not run on any device");
  }
  if (!*observation) {
    // A small device, or one that others use, may have no room for some sizes. That is not a fault of the case.
    const bool lacks = observation->error().code == ErrorCode::Memory || observation->error().code == ErrorCode::Peer;
    return ended(std::move(record), lacks ? Outcome::Skipped : Outcome::Failed, "run", observation->error().code,
                 observation->error().message());
  }
  const Observation& seen = **observation;
  record.samples = seen.samples;
  record.facts = seen.facts;
  record.places = seen.places;
  record.counters = metrics;
  record.counters_missing = seen.counters_missing;
  record.clock = seen.clock;
  return reanalyze(std::move(record));
}

namespace {

Row analyzed(Row record) {
  static constexpr std::string_view before_analysis[] = {"plan", "compile", "verify", "run"};
  if (std::ranges::count(before_analysis, record.reason.stage) != 0) return record;
  record.outcome = Outcome::Measured;
  record.reason = {};
  record.estimates.clear();
  record.premises.clear();
  if (!record.window.verified()) {
    return ended(std::move(record), Outcome::Rejected, "verify", "unverified", "its window was not verified");
  }

  record.premises = judge(record.premise_rules, record.facts, record.counters, record.counters_missing);
  for (std::size_t i = 0; i < record.premises.size(); ++i) {
    const Premise& premise = record.premises[i];
    if (!premise.known || premise.held) continue;
    std::string text = broken_text(record.premise_rules[i], premise);
    return ended(std::move(record), Outcome::Rejected, "premise", "premise-broken", std::move(text));
  }
  Analysis analysis =
      estimates(record.measures, {record.samples, record.facts, record.counters, record.window.encoded_cycles});
  if (!analysis.problems.empty()) {
    const Error& first = analysis.problems.front();
    return ended(std::move(record), Outcome::Rejected, "analyze", first.code, first.text);
  }
  const bool counters_only = !record.measures.empty() && std::ranges::all_of(record.measures, is_counter);
  if (counters_only && std::ranges::count(analysis.estimates, "counter", &Estimate::method) == 0) {
    std::string why = record.counters_missing.empty() ? "no counter gave a value" : record.counters_missing;
    return ended(std::move(record), Outcome::Skipped, "counters", "counters-missing", std::move(why));
  }
  const double clock = sm_clock(record.clock).low;  // the limit per microsecond is highest there
  for (const Measure& measure : record.measures) {
    const auto estimate = std::ranges::find(analysis.estimates, measure.name, &Estimate::name);
    if (estimate == analysis.estimates.end()) continue;
    const auto premise = judge_limit(measure, *estimate, clock);
    if (!premise) continue;
    record.premises.push_back(*premise);
    if (!premise->held) {
      std::string why =
          fmt::format("{}; was {:.5g} ({:.5g} to {:.5g}), above {:.5g} {}", premise->text, estimate->value,
                      estimate->low, estimate->high, limit_at(measure.limit, clock), measure.unit);
      return ended(std::move(record), Outcome::Rejected, "premise", "premise-broken", std::move(why));
    }
  }
  record.estimates = std::move(analysis.estimates);
  if (!analysis.unsteady.empty()) {
    record.outcome = Outcome::Unsteady;
    record.reason = {"analyze", "unsteady", std::move(analysis.unsteady)};
  }
  return record;
}

}  // namespace

Row reanalyze(Row record) {
  record = analyzed(std::move(record));
  std::erase_if(record.premises, is_mark);
  if (const auto sign = shared_sign(record.clock, record.samples))
    record.premises.push_back({.text = shared_mark + sign->text, .known = true, .value = std::round(sign->us)});
  if (const SmClock clock = sm_clock(record.clock); clock.moved()) {
    const double percent = 100 * (clock.high / clock.low - 1);
    record.premises.push_back({.text = moved_mark, .known = true, .value = std::round(10 * percent) / 10});
  }
  if (record.clock.timer_ratio > 0)
    record.premises.push_back({.text = timer_mark, .known = true, .value = record.clock.timer_ratio});
  return record;
}

bool is_shared(const Row& record) { return std::ranges::any_of(record.premises, is_shared_mark); }

std::string resumed_in_words(const Record& record) {
  const ResumedRows& resumed = record.provenance.resumed;
  if (resumed.rows == 0) return {};
  return fmt::format("{} of {} cases were measured by a run that was stopped; it began {}", resumed.rows,
                     record.rows.size(), resumed.first_run);
}

std::string shared_in_words(const Record& record) {
  const auto count = std::ranges::count_if(record.rows, is_shared);
  if (count == 0) return {};
  const std::vector<std::string>& others = record.provenance.others;
  return fmt::format(
      "{} of {} cases were measured while other work ran on the GPU, and are marked as shared: their numbers are not "
      "those "
      "of this GPU alone{}",
      count, record.rows.size(), others.empty() ? "" : "; other processes at the start: " + join(others, "; "));
}

}  // namespace warpclock
