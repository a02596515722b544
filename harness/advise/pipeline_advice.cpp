#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "advise/advisers.hpp"
#include "answer/sections/pipeline.hpp"
#include "base/lookup.hpp"
#include "base/text.hpp"
#include "inspect/occupancy.hpp"
#include "predict/program/memory_cost.hpp"

namespace warpclock {
namespace {

constexpr std::int64_t rows_of_multiply = 64, group_threads = 128, widest = 256, most_groups = 4;
constexpr std::int64_t most_accumulators = 224;  // of the 255 registers of a thread
constexpr std::int64_t kib = 1024, most_stages = 64;

// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions": shapes by type.
const std::array<MultiplyType, 7>& types() {
  static const std::array<MultiplyType, 7> all = {{{"f16", "f32", 16, 16},
                                                   {"bf16", "f32", 16, 16},
                                                   {"tf32", "f32", 8, 32},
                                                   {"e4m3", "f32", 32, 8},
                                                   {"e5m2", "f32", 32, 8},
                                                   {"s8", "s32", 32, 8},
                                                   {"u8", "s32", 32, 8}}};
  return all;
}

struct Tile {
  std::int64_t m = 0, n = 0, k = 0;
};

Expected<Tile> read_tile(const std::string& text, const MultiplyType& type) {
  std::array<std::int64_t, 3> sides{};
  const std::vector<std::string> words = split(text, 'x');
  bool sound = words.size() == sides.size();
  for (std::size_t i = 0; sound && i < sides.size(); ++i) {
    constexpr std::int64_t longest = 4096;
    sides[i] = whole_number<std::int64_t>(words[i]).value_or(0);
    sound = sides[i] > 0 && sides[i] <= longest;
  }
  if (!sound) return fail("option", "--tile is MxNxK: rows of A, columns of B, depth of a step, as 128x128x64", text);
  const auto [m, n, k] = sides;
  if (m % rows_of_multiply != 0)
    return fail("option", "--tile: wgmma multiplies 64 rows of A: the first side is a multiple of 64", text);
  if (n % 8 != 0)
    return fail("option", "--tile: wgmma multiplies 8 to 256 columns of B: the second side is a multiple of 8", text);
  if (k % type.depth != 0)
    return fail("option", fmt::format("--tile: a step of {} is a multiple of {} deep", type.name, type.depth), text);
  return Tile{m, n, k};
}

/// Columns of the multiplies that a tile's width is made of. Beyond 256 the widest that divides it and was measured.
std::int64_t columns_of(const Machine& machine, const MultiplyType& type, std::int64_t width) {
  if (width <= widest) return width;
  for (std::int64_t columns = widest; columns >= 8; columns -= 8) {
    if (width % columns == 0 && find_entry(machine, "instructions", multiply_entry(type, columns, "shared")) != nullptr)
      return columns;
  }
  return widest;
}

std::int64_t groups_of(std::int64_t rows) {
  const std::int64_t blocks = rows / rows_of_multiply;
  std::int64_t groups = std::min(blocks, most_groups);
  while (blocks % groups != 0) --groups;
  return groups;
}

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

void find_costs(Citations& cite, const MultiplyType& type, const PipelineQuestion& question, PipelineAdvice& out) {
  const MemoryLevel from = question.from;
  const std::string word = path_word(from), copies = "transfers/tensor.load." + word;
  const std::string same = question.tiles == Tiles::Shared ? ".same_lines" : "";
  const auto bytes = static_cast<double>(out.step_bytes);
  if (const auto interval = cite.leaf("instructions/" + out.multiply + "/interval"))
    out.tensor = *interval * static_cast<double>(out.multiplies);
  const auto fixed = cite.leaf(copies + "/latency.fixed"), each = cite.leaf(copies + "/latency.per_byte");
  const auto back = cite.leaf("synchronization/block.mbarrier_try.apart_4/one_way");
  cite.leaf(copies + "/latency.misfit");
  const auto idle = each ? sum(fixed, *each * bytes) : std::nullopt;
  out.copy = sum(idle, back);
  // Rates of tensor copies were measured in L2 alone, each SM with bytes of its own; from DRAM both kinds are bound by
  // DRAM.
  const bool tensor_rate = from == MemoryLevel::L2 && question.tiles == Tiles::Own;
  const std::string rate = tensor_rate ? copies : "transfers/bulk.load." + word;
  const auto of_sm = cite.leaf(rate + "/rate.all_sms" + same);
  const auto in_flight = cite.leaf("transfers/bulk.load." + word + "/in_flight" + same);
  if (of_sm) out.rate = bytes / *of_sm;
  if (of_sm && in_flight && idle) out.queue = queue_cycles(*in_flight, *of_sm, *idle);
  cite.leaf("instructions/" + multiply_entry(type, widest, "shared") + "/throughput");
}

/// Stages of a loop that gives back a buffer before the next multiplies are issued. A loop of wgmma gives it back when
/// those of the next step have been, so that the tensor cores never wait: it needs one buffer more.
std::int64_t free_stages(std::int64_t stages) { return std::max<std::int64_t>(stages - 1, 1); }

/// What alone would take longest.
std::string limit_of(const PipelineAdvice& out, MemoryLevel from, std::int64_t stages) {
  const std::int64_t used = free_stages(stages);
  const double waiting = used == 1 ? *out.tensor + *out.copy : *out.copy / static_cast<double>(used - 1);
  if (used > 1 && *out.tensor >= std::max(waiting, *out.rate)) return "tensor cores";
  return *out.rate > waiting ? "rate of " + to_string(from) : "latency of the copy";
}

void choose_stages(PipelineAdvice& out, MemoryLevel from, std::int64_t most_bytes, std::optional<double> peak) {
  Pipeline step;
  const bool known = out.tensor && out.copy && out.rate && out.queue;
  if (known) {
    step.alone = *out.tensor;
    step.bytes = static_cast<double>(out.step_bytes);
    step.latency = *out.copy;
    step.rate = step.bytes / *out.rate;
    step.queue = *out.queue;
  }
  const auto work = static_cast<double>(out.m * out.n * out.k);
  for (std::int64_t stages = 1; stages <= most_stages; ++stages) {
    StageChoice choice{.stages = stages, .shared_bytes = stages * out.step_bytes};
    choice.fits = choice.shared_bytes <= most_bytes;
    if (!choice.fits && stages > 3) break;
    if (known) {
      choice.cycles = step.predicted(free_stages(stages)).value();
      choice.limit = limit_of(out, from, stages);
      if (peak) choice.share = work / *choice.cycles / *peak;
    }
    out.choices.push_back(choice);
    constexpr double no_more = 1.01;
    const bool settled = known && stages > 2 && *choice.cycles <= no_more * std::max(*out.tensor, *out.rate);
    if (!choice.fits || settled) break;
  }
  constexpr double near = 1.05;  // as in the picture
  double shortest = 0;
  for (const StageChoice& choice : out.choices) {
    if (choice.fits && choice.cycles && (shortest <= 0 || *choice.cycles < shortest)) shortest = *choice.cycles;
  }
  for (const StageChoice& choice : out.choices) {
    if (!choice.fits || !choice.cycles || *choice.cycles > near * shortest) continue;
    out.best = choice.stages;
    break;
  }
}

/// Rate and queue of bulk copies from a level, for an answer's errors.
struct BulkPath {
  double fixed = 0, per_byte = 0, rate = 0, in_flight = 0;
};
std::optional<BulkPath> bulk_path(const Machine& machine, MemoryLevel level) {
  const std::string entry = "transfers/bulk.load." + path_word(level);
  std::array<double, 4> found{};
  const std::array<const char*, 4> names = {"/latency.fixed", "/latency.per_byte", "/rate.all_sms", "/in_flight"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Leaf* leaf = find_leaf(machine, entry + names.at(i));
    if (leaf == nullptr) return std::nullopt;
    found.at(i) = leaf->value;
  }
  return BulkPath{found[0], found[1], found[2], found[3]};
}

/// The tiles of the picture "Stages that hide a copy" by the model of an answer, in the record that has most of them.
std::optional<ModelCheck> stages_check(const AdviceSource& from, const std::vector<MemoryLevel>& levels) {
  const auto& design = known_kernel_design();
  if (!design) return std::nullopt;
  std::optional<ModelCheck> best;
  for (const auto& [file, record] : from.gpu.results) {
    std::vector<Pipelines> all;
    for (Pipelines& each : pipelines(design->pipelines, record)) {
      const auto level = std::ranges::find(levels, each.source, [](MemoryLevel one) { return to_string(one); });
      const auto path = level == levels.end() ? std::nullopt : bulk_path(from.machine, *level);
      if (!path) continue;
      for (Pipeline& line : each.lines) {
        line.rate = path->rate;
        if (line.latency) line.queue = queue_cycles(path->in_flight, path->rate, *line.latency);
      }
      all.push_back(std::move(each));
    }
    const ModelError error = model_error(all);
    const auto count = static_cast<std::int64_t>(error.predictions);
    if (count == 0 || (best && best->predictions >= count)) continue;
    best = ModelCheck{"cycles of a tile over stages, cp.async and FFMA" +
                          (levels.size() > 1 ? std::string() : " from " + to_string(levels[0])),
                      count, error.sum / static_cast<double>(count), error.worst, error.furthest->id};
  }
  return best;
}

/// Copies alone: with as many in flight as there are stages, a copy takes what a tile without computation takes.
std::optional<ModelCheck> copies_check(const AdviceSource& from, MemoryLevel level) {
  constexpr std::int64_t least = 4096;  // shorter ones wait for the thread that issues them
  const auto path = bulk_path(from.machine, level);
  if (!path) return std::nullopt;
  ErrorSum all("rate of bulk copies of 4 KiB and more from " + to_string(level) + " over those in flight");
  for (const char* probe : {"bulk_copy/load_rate", "bulk_copy/load_rate_sm"}) {
    for (const RecordRow& at : rows_of(from.gpu, probe, "rate")) {
      const std::int64_t bytes = whole(*at.row, "bytes");
      const bool in_l2 = whole(*at.row, "footprint") <= from.machine.stated.l2_bytes;
      if (bytes < least || in_l2 != (level == MemoryLevel::L2)) continue;
      const std::int64_t blocks = std::max<std::int64_t>(whole(*at.row, "blocks"), 1);
      Pipeline copies;
      copies.bytes = static_cast<double>(bytes);
      copies.latency = path->fixed + path->per_byte * copies.bytes;
      copies.rate = path->rate;
      copies.queue = queue_cycles(path->in_flight, path->rate, *copies.latency);
      const auto cycles = copies.predicted(blocks * whole(*at.row, "stages") + 1);
      if (cycles && *cycles > 0) all.add(copies.bytes / *cycles, at.estimate->value, at.row->id);
    }
  }
  return all.result();
}

}  // namespace

std::string path_word(MemoryLevel level) { return to_lower(to_string(level)); }

std::vector<std::string> pipeline_types() { return mapped(types(), &MultiplyType::name); }

const MultiplyType* multiply_type(const std::string& name) { return find_by(types(), name, &MultiplyType::name); }

std::string multiply_entry(const MultiplyType& type, std::int64_t columns, const std::string& a) {
  return fmt::format("wgmma.m64n{}k{}.{}.{}.a_{}", columns, type.depth, type.accumulator, type.name, a);
}

Expected<PipelineAdvice> model_pipeline(Citations& cite, const PipelineQuestion& question) {
  const Machine& machine = cite.from().machine;
  const MultiplyType* type = multiply_type(question.type);
  if (type == nullptr)
    return fail("option", fmt::format("--type: wgmma multiplies no '{}'{}", question.type,
                                      hint(question.type, pipeline_types())));
  const Tile tile = WARPCLOCK_TRY(read_tile(question.tile, *type));
  if (question.tiles == Tiles::Shared && question.from != MemoryLevel::L2)
    return fail("option", "--tiles: tiles that SMs share come from L2; from DRAM say --tiles own");
  const std::int64_t columns = columns_of(machine, *type, tile.n);
  PipelineAdvice out{.m = tile.m, .n = tile.n, .k = tile.k, .type = type->name, .from = to_string(question.from)};
  out.tiles = question.tiles == Tiles::Shared ? "shared" : "own";
  out.multiply = multiply_entry(*type, columns, "shared");
  out.multiplies = tile.m / rows_of_multiply * ((tile.n + columns - 1) / columns) * (tile.k / type->depth);
  out.step_bytes = (tile.m + tile.n) * tile.k * type->bits / 8;
  out.warp_groups = groups_of(tile.m);
  out.accumulators = tile.m * tile.n / (out.warp_groups * group_threads);
  if (out.accumulators > most_accumulators)
    return fail("option",
                fmt::format("--tile: its sums need {} registers of each thread of {} warp groups, and at most {} fit",
                            out.accumulators, out.warp_groups, most_accumulators),
                question.tile);
  find_costs(cite, *type, question, out);
  const Leaf* peak = find_leaf(machine, "instructions/" + multiply_entry(*type, widest, "shared") + "/throughput");
  const auto limits = sm_limits(WARPCLOCK_TRY(parse_arch(machine.arch)));
  const std::int64_t most = limits ? limits->shared_block_kib * kib : machine.stated.shared_per_block_bytes;
  choose_stages(out, question.from, most, peak == nullptr ? std::nullopt : std::optional(peak->value));
  return out;
}

Expected<Advice> advise_pipeline(const AdviceSource& from, const PipelineQuestion& question) {
  Advice answer{.gpu = from.machine.gpu, .arch = from.machine.arch};
  Citations cite(from, answer);
  PipelineAdvice out = WARPCLOCK_TRY(model_pipeline(cite, question));
  if (question.tiles == Tiles::Shared) out.measured = measured_products(from, out);
  answer.pipeline = std::move(out);
  const bool own_in_l2 = question.tiles == Tiles::Own && question.from == MemoryLevel::L2;
  const auto of_tiles = own_in_l2                         ? multiplies_check(from)
                        : question.tiles == Tiles::Shared ? products_check(from)
                                                          : std::nullopt;
  for (const auto& check :
       {of_tiles, stages_check(from, {question.from}), stages_check(from, {MemoryLevel::L2, MemoryLevel::Dram}),
        copies_check(from, question.from)})
    if (check) answer.checks.push_back(*check);
  if (question.tiles == Tiles::Own)
    cite.unknown(
        "each SM reads bytes of its own; --tiles shared has those that SMs share, as in a product of matrices");
  cite.unknown("multicast is not in the model");
  cite.unknown("the start and the end of the loop, and the epilogue, are not in the share");
  return answer;
}

}  // namespace warpclock
