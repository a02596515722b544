#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "advise/advisers.hpp"
#include "base/text.hpp"
#include "predict/program/costs.hpp"
#include "record/overlap.hpp"
#include "record/record.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t queries = 64;

/// What a softmax needs for each score: subtract the maximum and scale (FFMA), find the maximum, add up, convert two
/// scores at once, and 2^x.
struct Part {
  const char* instruction;
  const char* form;
  const char* pipe;
  double each;
};
constexpr std::array<Part, 5> parts = {{{"MUFU.EX2", "@PT MUFU.EX2 R#, R#", "xu", 1},
                                        {"FFMA", "@PT FFMA R#, R#, R#, R#", "fma", 1},
                                        {"FADD", "@PT FADD R#, R#, R#", "fma", 1},
                                        {"FMNMX", "@PT FMNMX R#, R#, R#, !PT", "alu", 1},
                                        {"F2FP.F16.F32.PACK_AB", "@PT F2FP.F16.F32.PACK_AB R#, R#, R#", "alu", 0.5}}};

/// 2^x without MUFU: x + magic rounds, two more FADD give the fraction, Horner, and LEA puts the whole part into the
/// exponent.
constexpr double polynomial_adds = 3, polynomial_leas = 1;
constexpr const char* lea_form = "@PT LEA R#, R#, R#, #";

/// A multiply and copies of another instruction that take equally long alone.
struct Together {
  const Entry* entry = nullptr;
  double hidden = 0, multiply = 0, others = 0, both = 0;
};

std::int64_t number_at(const std::string& text, std::size_t at) {
  return leading_number<std::int64_t>(std::string_view(text).substr(std::min(at, text.size()))).value_or(0);
}

/// Rows "HGMMA.64x256x16.F32+16 MUFU.EX2" of an instruction, the widest multiply first.
std::vector<Together> rows_together(const Machine& machine, const Part& part) {
  const Leaf* interval = find_leaf(machine, fmt::format("instructions/{}/interval", part.form));
  const std::string end = std::string(" ") + part.instruction;
  std::vector<std::pair<std::int64_t, Together>> found;
  for (const Entry& entry : machine.co_issue) {
    const std::size_t plus = entry.name.find('+'), first = entry.name.find('x');
    if (!entry.name.starts_with("HGMMA.") || !entry.name.ends_with(end) || interval == nullptr) continue;
    const std::int64_t columns = number_at(entry.name, first + 1), count = number_at(entry.name, plus + 1);
    const Leaf* both = find_leaf(entry, "cycles");
    const Leaf* alone =
        find_leaf(machine, "instructions/" + multiply_entry(*multiply_type("f16"), columns, "shared") + "/interval");
    if (both == nullptr || alone == nullptr || count < 1) continue;
    Together row{&entry, 0, alone->value, interval->value * static_cast<double>(count), both->value};
    row.hidden = std::clamp(hidden_share(row.multiply, row.others, row.both), 0.0, 1.0);
    found.emplace_back(columns, row);
  }
  std::ranges::sort(found, {}, [](const auto& one) { return -one.first; });
  std::vector<Together> rows;
  for (auto& [columns, row] : found) rows.push_back(row);
  return rows;
}

/// What the widest row hides predicts the time of the others.
std::optional<ModelCheck> hiding_check(const Machine& machine) {
  ErrorSum all("cycles of m64n64k16 with MUFU.EX2 by the share that m64n256k16 hides");
  const std::vector<Together> rows = rows_together(machine, parts[0]);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Together& row = rows[i];
    const double predicted = row.multiply + row.others - rows[0].hidden * std::min(row.multiply, row.others);
    all.add(predicted, row.both, find_leaf(*row.entry, "cycles")->rows.front());
  }
  return all.result();
}

/// Cycles of a sub-partition for one instruction of each score of the tile.
double instructions_of(const AttentionAdvice& out) {
  return static_cast<double>(queries * out.keys) / static_cast<double>(lanes_in_warp * sub_partitions);
}

void find_products(Citations& cite, const MultiplyType& type, AttentionAdvice& out) {
  const auto interval = [&](std::int64_t columns, const char* a) {
    return cite.leaf("instructions/" + multiply_entry(type, columns, a) + "/interval");
  };
  const auto scores = interval(out.keys, "shared"), outputs = interval(out.head, "registers");
  if (!scores || !outputs) return;
  const std::int64_t of_scores = out.head / type.depth, of_outputs = out.keys / type.depth;
  out.tensor = *scores * static_cast<double>(of_scores) + *outputs * static_cast<double>(of_outputs);
}

void find_parts(Citations& cite, AttentionAdvice& out) {
  for (const Part& part : parts) {
    SoftmaxPart one{.instruction = part.instruction, .pipe = part.pipe, .each = part.each};
    if (const auto interval = cite.leaf(fmt::format("instructions/{}/interval", part.form)))
      one.cycles = *interval * part.each * instructions_of(out);
    const std::vector<Together> rows = rows_together(cite.from().machine, part);
    if (!rows.empty()) {
      one.hidden = rows[0].hidden;
      cite.leaf("co_issue/" + rows[0].entry->name + "/cycles");
      one.row = find_leaf(*rows[0].entry, "cycles")->rows.front();
    } else {
      cite.unknown(fmt::format("not measured: {} together with wgmma", part.instruction));
    }
    out.parts.push_back(std::move(one));
  }
}

/// Cycles of a tile on each pipe, and of the issue slots, with a share of the exponentials by a polynomial.
std::optional<std::vector<double>> busy(const AttentionAdvice& out, double lea, double share) {
  double xu = 0, fma = 0, alu = 0, issue = 0;
  for (const SoftmaxPart& part : out.parts) {
    if (!part.cycles) return std::nullopt;
    double& pipe = part.pipe == "xu" ? xu : part.pipe == "fma" ? fma : alu;
    pipe += *part.cycles;
    issue += part.each * instructions_of(out);
  }
  const double all = instructions_of(out), adds = polynomial_adds + static_cast<double>(out.degree);
  const double of_add = fma / (2 * all);  // FFMA and FADD, one of each
  xu *= 1 - share;
  fma += share * adds * of_add * all;
  alu += share * polynomial_leas * lea * all;
  issue += share * (adds + polynomial_leas - 1) * all;
  return std::vector{xu, fma, alu, issue};
}

std::optional<double> softmax_cycles(const AttentionAdvice& out, double lea, double share) {
  const auto pipes = busy(out, lea, share);
  return pipes ? std::optional(std::ranges::max(*pipes)) : std::nullopt;
}

/// In steps of a hundredth, which is finer than what is known.
void balance(Citations& cite, AttentionAdvice& out) {
  const auto lea = cite.leaf(fmt::format("instructions/{}/interval", lea_form));
  out.softmax = softmax_cycles(out, 0, 0);
  if (out.tensor && out.exponential) out.polynomial_needed = std::max(0.0, 1 - *out.tensor / *out.exponential);
  if (!lea || !out.softmax) return;
  out.softmax_balanced = out.softmax;
  out.polynomial = 0;
  constexpr int steps = 100;
  for (int i = 1; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const auto cycles = softmax_cycles(out, *lea, share);
    if (!cycles || *cycles >= *out.softmax_balanced) continue;
    out.softmax_balanced = cycles;
    out.polynomial = share;
  }
}

void overlap(AttentionAdvice& out) {
  if (!out.tensor || !out.exponential || !out.softmax) return;
  out.ratio = *out.exponential / *out.tensor;
  out.serial = *out.tensor + *out.softmax;
  const SoftmaxPart& mufu = out.parts.front();
  if (mufu.hidden) out.both = *out.tensor + *out.exponential - *mufu.hidden * std::min(*out.tensor, *out.exponential);
  double low = *out.tensor, high = *out.tensor;
  for (const SoftmaxPart& part : out.parts) {
    const double shorter = std::min(*part.cycles, *out.tensor);
    low += *part.cycles - part.hidden.value_or(1) * shorter;
    high += *part.cycles - part.hidden.value_or(0) * shorter;
  }
  // No less than the busier of both, no more than one after the other.
  const double least = std::max(*out.tensor, *out.softmax);
  out.overlapped_low = std::clamp(low, least, *out.serial);
  out.overlapped_high = std::clamp(high, least, *out.serial);
}

AttentionAdvice model_attention(Citations& cite, const MultiplyType& type, const AttentionQuestion& question) {
  AttentionAdvice out{.head = question.head, .keys = question.keys, .degree = question.degree, .type = type.name};
  find_products(cite, type, out);
  find_parts(cite, out);
  out.exponential = out.parts.front().cycles;
  balance(cite, out);
  overlap(out);
  return out;
}

}  // namespace

std::optional<double> serial_cycles(const AdviceSource& from, const AttentionQuestion& question) {
  Advice unused;
  Citations cite(from, unused);
  const MultiplyType* type = multiply_type(question.type);
  return type == nullptr ? std::nullopt : model_attention(cite, *type, question).serial;
}

Expected<Advice> advise_attention(const AdviceSource& from, const AttentionQuestion& question) {
  const MultiplyType* type = multiply_type(question.type);
  const std::vector<std::string> words = {"f16", "bf16", "e4m3", "e5m2"};
  if (type == nullptr || std::ranges::find(words, question.type) == words.end())
    return fail("option", fmt::format("--type: no attention in '{}'{}", question.type, hint(question.type, words)));
  constexpr std::int64_t widest = 256;
  for (const auto& [name, value] : {std::pair("--head", question.head), std::pair("--keys", question.keys)}) {
    const std::int64_t step = std::max<std::int64_t>(type->depth, 8);
    if (value < step || value > widest || value % step != 0)
      return fail("option",
                  fmt::format("{}: wgmma of {} has multiples of {} up to {}", name, type->name, step, widest));
  }
  constexpr std::int64_t highest_degree = 12;
  if (question.degree < 1 || question.degree > highest_degree)
    return fail("option", fmt::format("--degree: a polynomial of degree 1 to {}", highest_degree));
  Advice answer{.gpu = from.machine.gpu, .arch = from.machine.arch};
  Citations cite(from, answer);
  AttentionAdvice out = model_attention(cite, *type, question);
  if (const auto check = hiding_check(from.machine)) answer.checks.push_back(*check);
  if (const auto check = attention_check(from)) answer.checks.push_back(*check);
  cite.unknown("the counts of instructions of softmax and of the polynomial are assumed");
  cite.unknown(
      "what hides was measured where the multiply and the others take equally long; another ratio is taken to hide the "
      "same share of the shorter");
  cite.unknown(
      "the parts of softmax are added up, although MUFU, FFMA and integer instructions also hide "
      "behind each other; shuffles, masks and the rescaling of O are left out");
  answer.attention = std::move(out);
  return answer;
}

}  // namespace warpclock
