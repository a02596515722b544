#include "measure/machine/relations_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "code/listing.hpp"
#include "compose/filling.hpp"
#include "measure/machine/relation_classes.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

using Kind = OperandShape::Kind;

constexpr std::array study_warps{1, 4, 8, 16};
constexpr std::array timed_lengths{4, 8, 12, 16};

std::optional<std::size_t> vector_result(const MachineSubject& subject) {
  const auto result = subject.shape.result();
  return result && subject.shape.results[*result].kind == Kind::Vector ? result : std::nullopt;
}

/// The vector sources through which a consumer is asked: the first, and of a multiplication with an accumulator the
/// accumulator too.
std::vector<std::size_t> consumer_sources(const MachineSubject& consumer) {
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < consumer.shape.sources.size(); ++i) {
    if (consumer.shape.sources[i].kind == Kind::Vector) sources.push_back(i);
  }
  const bool accumulates = sources.size() > 2 && consumer.most_stall == most_tensor_stall;
  if (sources.size() > 1)
    sources = accumulates ? std::vector{sources.front(), sources.back()} : std::vector{sources.front()};
  return sources;
}

/// The way from the consumer's result back into the producer.
const ChainRoute* route_into(const MachineSubject& producer) {
  const ChainRoute* best = nullptr;
  for (const ChainRoute& route : producer.routes) {
    const bool vector = producer.shape.sources[static_cast<std::size_t>(route.source)].kind == Kind::Vector;
    // Results of tensor instructions are no good factors: read as halves they soon become NaN.
    if (vector && (best == nullptr || producer.most_stall == most_tensor_stall)) best = &route;
  }
  return best;
}

std::vector<HoleValues> data_of_both(const MachineSubject& a, const MachineSubject& b) {
  std::vector<HoleValues> data = a.data;
  for (const HoleValues& one : b.data) {
    if (std::ranges::find(data, one) == data.end()) data.push_back(one);
  }
  return data;
}

Expected<Filling> alternating(const DependencePlan& plan, int n, int own, bool chained, const Hole& hole,
                              const Movers& movers) {
  Placer placer(hole, movers);
  std::vector<Copy> copies;
  for (int i = 0; i < n; ++i) {
    const int chain = chained ? 0 : i % static_cast<int>(result_quads);
    Placement placement{.chain = chain, .constants = i};
    if (chained) placement.through = plan.through.source;
    auto copy = WARPCLOCK_TRY(placer.place(*plan.producer.form, placement));
    copy.stall = own;
    copies.push_back(std::move(copy));
    copy = WARPCLOCK_TRY(
        placer.place(*plan.consumer.form, {.chain = chain, .through = plan.through.bridge.source, .constants = i}));
    copy.stall = way_back(plan);
    copies.push_back(std::move(copy));
  }
  return placer.finish(copies);
}

Expected<ComposedWindows> timed(const DependencePlan& plan, int stall, bool chained, const Hole& hole,
                                const Movers& movers) {
  ComposedWindows all;
  for (const int n : timed_lengths) {
    all.add(WARPCLOCK_TRY(alternating(plan, n, stall, chained, hole, movers)), std::array{1},
            {.kind = MachineWindow::Kind::Chain, .source = plan.through.source, .n = n, .stall = stall});
  }
  return all;
}

/// The shorter ones, and the largest, which is right.
std::vector<int> stalls_to_try(int most) {
  std::vector<int> stalls(most == most_tensor_stall ? 24 : 8);
  std::iota(stalls.begin(), stalls.end(), 1);
  stalls.push_back(most);
  return stalls;
}

char operand_letter_of(std::size_t source) { return static_cast<char>('A' + source); }

StudyPlan study_of(RowKind kind, std::string id, const std::vector<const RelationForm*>& forms) {
  StudyPlan plan;
  plan.study.id = std::move(id);
  plan.study.kind = kind;
  plan.study.machine.run = 1;
  for (const RelationForm* one : forms) {
    plan.study.forms.push_back(one->key);
    plan.subjects.push_back(one->subject);
  }
  return plan;
}

}  // namespace

std::vector<DependencePlan> dependence_plans(const FormTable& forms, const Movers& movers) {
  const std::vector<RelationForm> all = relation_classes(forms, movers);
  std::vector<DependencePlan> plans;
  for (const RelationForm& producer : all) {
    if (!vector_result(producer.subject)) continue;
    const ChainRoute* into = route_into(producer.subject);
    if (producer.subject.fixed() && into == nullptr) continue;
    for (const RelationForm& consumer : all) {
      // What a producer of fixed latency gives is seen in what the consumer computes from it.
      if (producer.subject.fixed() && !vector_result(consumer.subject)) continue;
      for (const std::size_t source : consumer_sources(consumer.subject)) {
        DependencePlan plan{
            "dependences/" + name_in(producer.key) + "->" + name_in(consumer.key) + "." + operand_letter_of(source),
            producer.subject, consumer.subject, into == nullptr ? ChainRoute{} : *into};
        plan.through.bridge = {.form = consumer.subject.form, .source = static_cast<int>(source)};
        plan.through.operand = parse_instruction(text_of(consumer.subject.form->skeleton))
                                   ->operands[consumer.subject.shape.results.size() + source];
        plan.producer.data = data_of_both(producer.subject, consumer.subject);
        plans.push_back(std::move(plan));
      }
    }
  }
  return plans;
}

Expected<ComposedWindows> dependence_windows(const DependencePlan& plan, const Hole& hole, const Movers& movers) {
  if (!plan.producer.fixed()) return timed(plan, 1, false, hole, movers);
  ComposedWindows all;
  const std::vector<int> stalls = stalls_to_try(plan.producer.most_stall);
  for (const int stall : stalls) {
    all.fillings.emplace_back() = WARPCLOCK_TRY(alternating(plan, plan.through.length, stall, true, hole, movers));
    for (std::size_t data = 0; data < plan.producer.data.size(); ++data) {
      for (const int warps : {quiet_warps, plan.producer.busy_warps()}) {
        all.windows.push_back({.kind = MachineWindow::Kind::Stale,
                               .source = plan.through.source,
                               .n = plan.through.length,
                               .stall = stall,
                               .warps = warps,
                               .data = data,
                               .filling = all.fillings.size() - 1,
                               .launches = stale_launches(stall, stalls.back())});
      }
    }
  }
  return all;
}

Expected<ComposedWindows> timed_dependence_windows(const DependencePlan& plan, int stall, const Hole& hole,
                                                   const Movers& movers) {
  if (!plan.consumer.fixed()) return fail("compose", "a scoreboard signals the consumer's result");
  return timed(plan, stall, true, hole, movers);
}

int way_back(const DependencePlan& plan) {
  const bool waits_for_consumer = plan.producer.fixed() && !plan.consumer.fixed();
  return waits_for_consumer ? scoreboard_stall : plan.consumer.most_stall;
}

std::vector<StudyPlan> pair_plans(const FormTable& forms, const Movers& movers) {
  const std::vector<RelationForm> all = relation_classes(forms, movers);
  std::vector<StudyPlan> plans;
  const auto add = [&](const RelationForm& a, const RelationForm& b) {
    // Some pipes lose time when instructions alternate.
    for (const int run : {1, 4}) {
      if (run > 1 && a.key == b.key) continue;
      const std::string in_runs = run > 1 ? ", runs of " + std::to_string(run) : "";
      plans.push_back(
          study_of(RowKind::Pair, "pairs/" + name_with_zero(a.key) + "+" + name_with_zero(b.key) + in_runs, {&a, &b}));
      plans.back().study.machine.run = run;
    }
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i; j < all.size(); ++j) {
      if (all[i].pairs && all[j].pairs) add(all[i], all[j]);
    }
  }
  for (const std::string_view key : variant_keys) {
    const auto variant = relation_form(forms, key, movers);
    if (!variant) continue;
    add(*variant, *variant);
    for (const std::string_view partner : variant_partners) {
      if (const auto other = relation_form(forms, partner, movers)) add(*variant, *other);
    }
  }
  return plans;
}

std::vector<StudyPlan> bank_plans(const FormTable& forms, const Movers& movers) {
  std::vector<StudyPlan> plans;
  const auto add = [&](const RelationForm& form, std::vector<int> banks, unsigned reuse) {
    StudyPlan& plan = plans.emplace_back(study_of(RowKind::Bank, "banks/" + name_in(form.key), {&form}));
    plan.study.machine.banks = std::move(banks);
    for (const int bank : plan.study.machine.banks) plan.study.id += " " + std::to_string(bank);
    std::string kept;
    for (unsigned i = 0; i < 3; ++i) {
      plan.study.machine.reuse.push_back(static_cast<int>(reuse >> i & 1U));
      if (plan.study.machine.reuse.back() != 0) kept += operand_letter_of(i);
    }
    if (!kept.empty()) plan.study.id += ", reuse " + kept;
  };
  for (const std::string_view key : bank_keys) {
    const auto known = relation_form(forms, key, movers);
    if (!known) continue;
    for (int banks = 0; banks < 8; ++banks) {
      for (const unsigned reuse : {0U, 1U, 3U, 7U}) add(*known, {banks & 1, banks >> 1 & 1, banks >> 2 & 1}, reuse);
    }
  }
  // A multiply reads registers of both banks in each source.
  for (const std::string_view key : reuse_keys) {
    const auto known = relation_form(forms, key, movers);
    if (!known) continue;
    for (const unsigned reuse : {0U, 1U, 2U, 3U}) add(*known, {}, reuse);
  }
  return plans;
}

std::vector<StudyPlan> fetch_plans(const FormTable& forms, const Movers& movers, std::span<const Row> rows) {
  std::vector<StudyPlan> plans;
  for (const std::string_view key : fetch_keys) {
    const auto known = relation_form(forms, key, movers);
    if (!known) continue;
    for (const bool first_pass : {false, true}) {
      StudyPlan& plan = plans.emplace_back(
          study_of(RowKind::Fetch, "fetch/" + name_in(known->key) + (first_pass ? ", first pass" : ""), {&*known}));
      plan.study.machine.first_pass = first_pass;
      if (first_pass) continue;
      plan.yields = {false, true};
      const Row* row = find_by(rows, key, &Row::id);
      const Estimate* alone = row == nullptr ? nullptr : estimate_in(*row, "interval");
      const long interval = alone == nullptr ? 1 : std::lround(alone->value);
      if (interval > 1 && interval < yielding_stall) plan.stalls.push_back(static_cast<int>(interval));
    }
  }
  return plans;
}

Expected<ComposedWindows> study_windows(const StudyPlan& plan, std::span<const int> lengths, const Hole& hole,
                                        const Movers& movers) {
  ComposedWindows all;
  unsigned reuse = 0;
  for (std::size_t i = 0; i < plan.study.machine.reuse.size(); ++i)
    reuse |= static_cast<unsigned>(plan.study.machine.reuse[i]) << i;
  const std::size_t forms = plan.subjects.size(), run = static_cast<std::size_t>(std::max(1, plan.study.machine.run));
  const std::size_t period = std::lcm(result_quads, forms * run);
  const auto add = [&](int n, int stall, bool yield) -> Expected<void> {
    Placer placer(hole, movers);
    std::vector<Copy> copies;
    while (copies.size() < static_cast<std::size_t>(n) * forms) {
      if (copies.size() >= period) {
        copies.push_back(Copy(copies[copies.size() - period]));
        continue;
      }
      const MachineSubject& subject = plan.subjects[copies.size() / run % forms];
      const int chain = static_cast<int>(copies.size() % result_quads);
      auto copy = WARPCLOCK_TRY(placer.place(
          *subject.form, {.chain = chain, .two_banks = true, .banks = plan.study.machine.banks, .reuse = reuse}));
      copy.stall = stall;
      copy.yield = yield;
      copies.push_back(std::move(copy));
    }
    all.add(WARPCLOCK_TRY(placer.finish(copies)), study_warps,
            {.kind = MachineWindow::Kind::Issue, .n = n, .stall = stall, .yield = yield});
    return {};
  };
  for (const int stall : plan.stalls) {
    for (const bool yield : plan.yields) {
      for (const int n : lengths) WARPCLOCK_TRY(add(n, stall, yield));
    }
  }
  return all;
}

}  // namespace warpclock
