#include "predict/program/memory_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "code/listing.hpp"
#include "execute/bank_turns.hpp"
#include "execute/forms/lanes.hpp"
#include "inspect/facts.hpp"
#include "predict/program/rate_curve.hpp"

namespace warpclock {
namespace {

std::string lower(MemoryLevel level) {
  constexpr std::array<const char*, 3> names{"l1", "l2", "dram"};
  return names[static_cast<std::size_t>(level)];
}

}  // namespace

std::optional<double> MemoryCosts::leaf(const std::string& path) const {
  const Leaf* found = find_leaf(machine_, path);
  return found == nullptr || !(found->value > 0) ? std::nullopt : std::optional(found->value);
}

/// Cycles a byte; 0 if there is no row, so that what is not known limits nothing.
double MemoryCosts::inverse(const std::string& path) const {
  const auto rate = leaf(path);
  return rate ? 1 / *rate : 0;
}

double MemoryCosts::of_sm(const std::string& entry, const std::string& rate) const {
  const auto mean = leaf(entry + rate), slowest = leaf(entry + "rate.slowest_sm");
  return use_.clock * use_.share * (use_.at_once && mean && slowest ? std::max(1.0, *mean / *slowest) : 1);
}

double MemoryCosts::queued(const std::string& entry, const std::string& idle, const std::string& lines) const {
  const auto bytes = leaf(entry + "in_flight" + lines), rate = leaf(entry + "rate.all_sms" + lines),
             alone = leaf(entry + idle);
  return bytes && rate && alone ? use_.clock * queue_cycles(*bytes, *rate, *alone) : 0;
}

/// What an SM that shares its lines with the others can have, which L2 does not limit (`bandwidth/read[share=all]`);
/// the way from L2 does, by its own clock (docs/findings.md, "Lines of all SMs do not follow the clock of the SMs").
/// Where all blocks run at once, the slowest SM ends last.
double MemoryCosts::of_shared_lines() const {
  const std::string entry = "transfers/l2.load/";
  const double slowest = inverse(entry + "rate.slowest_sm.same_lines");
  return use_.clock * (use_.at_once && slowest > 0 ? slowest : inverse(entry + "rate.all_sms.same_lines"));
}

/// Sectors at the rate of all SMs, or lines of which a warp needs one sector each (`bandwidth/coalesce_stride` with 32
/// words, whose lines all SMs ask for); never in less than the `alone` cycles that one SM takes. Bytes that several SMs
/// ask for leave L2 once for them, an assumption; each SM's request for a line looks it up, as counters show.
PathCost MemoryCosts::loaded(double sectors, double lines, double sharers, double alone) const {
  const std::string entry = "transfers/l2.load/", store = "transfers/l2.store/";
  PathCost cost{.level = MemoryLevel::L2, .bytes = sectors * sector};
  const double by_bytes = cost.bytes * inverse(entry + "rate.all_sms") / sharers * of_sm(entry);
  // Lookups fill L2 itself, so no SM gets fewer than the others.
  const double by_lines = lines * asked * inverse(entry + "rate.all_sms.own_lines") * use_.share * use_.clock;
  cost.busy = std::max({by_bytes, by_lines, alone});
  // What a copy takes beyond its store, the request of its load takes of the same path: `bandwidth/copy`, and in other
  // proportions `bandwidth/copy_mixed`.
  cost.asked = cost.bytes * std::max(0.0, copied("l2") - inverse(store + "rate.all_sms") * of_sm(store));
  // Requests of other SMs are in the way only where they limit.
  if (cost.busy > alone) cost.queued = queued(entry);
  return cost;
}

/// A line that was stored is at its home and in the half next to the SM that stored it (`memory/halves`, "stored"): a
/// quarter of all loads by other SMs cross, and of lines that SMs of both halves load, each half of the lines does
/// once. By counters of the fabric between the halves: 27 to 31 % of such loads, and 55 to 60 % of stores (H200).
void MemoryCosts::cross(PathCost& cost, double sharers, double apart) const {
  const double part = apart * (sharers > 1 ? 0.5 : 0.25) / sharers;
  cost.asked += part * cost.bytes * inverse("transfers/l2.load/rate.all_sms.far") * use_.share * use_.clock;
}

/// A request for each line, or its bytes (`bandwidth/coalesce_stride_one`).
double MemoryCosts::loaded_alone(double sectors, double lines) const {
  return std::max(sectors * sector * of_shared_lines(),
                  lines * asked * inverse("transfers/l2.load/rate.one_sm.own_lines"));
}

double MemoryCosts::copied(const std::string& level) const {
  const std::string entry = "transfers/" + level + ".copy/", rate = "rate.all_sms.by_threads";
  return 2 * inverse(entry + rate) * of_sm(entry, rate);
}

PathCost MemoryCosts::through_dram(double sectors, bool write, bool by_threads) const {
  const std::string entry = write ? "transfers/dram.store/" : "transfers/dram.load/";
  PathCost cost{.level = MemoryLevel::Dram, .write = write, .bytes = sectors * sector};
  cost.busy = cost.bytes * inverse(entry + "rate.all_sms") * of_sm(entry);
  if (!write) std::tie(cost.queued, cost.dram.writes) = queued_in_dram(by_threads);
  return cost;
}

PathCost MemoryCosts::by_threads_through_dram(double sectors, bool write) const {
  PathCost cost = through_dram(sectors, write, true);
  if (const double bus = part_of_bus(leaf("transfers/dram.load/rate.all_sms").value_or(0)); bus > 0) cost.fullest = bus;
  if (use_.resident < 1 / waves_apart) cost.lent = std::numeric_limits<double>::infinity();
  return cost;
}

/// What the bus of the memory carries: both edges of its clock.
double MemoryCosts::part_of_bus(double rate) const {
  const StatedFacts& stated = machine_.stated;
  const double bus = stated.memory_bus_bits / 8.0 * 2 * stated.memory_clock_max_mhz;
  return bus > 0 ? rate * stated.sms * stated.sm_clock_max_mhz / bus : 0;
}

/// `bandwidth/read_loaded`: what a load waits longer while others load is load / (1 - load) times a constant, of what
/// the bus carries. The rows with most and with fewest loads give it. For copies, whose latency has rows of one SM
/// alone, the row with most loads and the latency of one SM do, of the highest rate. Of `bandwidth/copy_loaded`, the
/// rest is the part of the time in which DRAM writes, times a constant: 870 to 1,060 cycles from 16 % to 79 % of the
/// rate (H200).
std::pair<double, double> MemoryCosts::queued_in_dram(bool by_threads) const {
  const std::string load = "transfers/dram.load/", copy = "transfers/dram.copy/";
  const auto queue = [&](const std::string& entry, const char* rate, const char* most) {
    const double moved = leaf(entry + rate).value_or(0), stated = by_threads ? part_of_bus(moved) : 0;
    const double share = stated > 0 ? stated : moved * inverse(entry + most);
    return share < 1 ? share / (1 - share) : 0;
  };
  const auto few = by_threads ? leaf(load + "latency.few_loads") : std::nullopt;
  const auto least = few ? few : leaf(load + "latency"), loaded = leaf(load + "latency.loaded"),
             copied = leaf(copy + "latency.loaded");
  const double reads = queue(load, "rate.loaded", "rate.all_sms");
  const double few_reads = few ? queue(load, "rate.few_loads", "rate.all_sms") : 0;
  if (!least || !loaded || reads <= few_reads) return {queued(load), 0};
  const double by_reads = std::max(0.0, (*loaded - *least) / (reads - few_reads)), idle = *least - by_reads * few_reads;
  const double both = queue(copy, "rate.loaded", "rate.all_sms.by_threads");
  const double writing = leaf(copy + "rate.loaded").value_or(0) / 2 * inverse("transfers/dram.store/rate.all_sms");
  const double by_writes = copied && writing > 0 ? std::max(0.0, (*copied - idle - by_reads * both) / writing) : 0;
  return {use_.clock * by_reads, use_.clock * by_writes};
}

/// `bandwidth/pieces`: the pieces beside those that a block accesses come at once, from blocks at once, or long after.
double MemoryCosts::of_pieces(const AccessPattern& pattern, bool write) const {
  const auto slower = [&](const char* when) {
    const RateCurve of_bytes(machine_, fmt::format("dram.{}.pieces_{}_", write ? "store" : "load", when),
                             "rate.all_sms");
    return of_bytes.empty() ? 1.0 : of_bytes.at(pattern.run_bytes) / of_bytes.least();
  };
  if (pattern.run_bytes <= 0) return 1;
  return pattern.neighbors * slower("at_once") + (1 - pattern.neighbors) * slower("later");
}

/// `memory/hop_dram` and `memory/halves`. In one process on an H200, 45 % of single lines came after 540 to 610 cycles,
/// 42 % after 700 to 790, and the rest later, up to 1,250.
DramTimes MemoryCosts::times_of_dram() const {
  const std::string load = "transfers/dram.load/";
  const auto near = leaf("transfers/l2.load/latency"), far = leaf(load + "latency");
  if (!near || !far) return {};
  const auto home_near = leaf(load + "latency.near"), home_far = leaf(load + "latency.far");
  const double across = home_near && home_far ? *home_far - *home_near : 0;
  DramTimes times = dram_times(*far - *near, across, last_in_dram_);
  times.least *= use_.clock, times.across *= use_.clock, times.longest *= use_.clock;
  return times;
}

MemoryCost MemoryCosts::load(const Instruction& instruction, const AccessPattern& pattern, MemoryAnswer answer,
                             bool to_registers) const {
  MemoryCost cost;
  if (answer.level == MemoryLevel::L1) return cost;
  if (pattern.sectors == 0) cost.missed = 0;
  // A sector that several warps of the block want comes once; so does what all blocks of the SM want.
  double asked_of_l2 = pattern.sectors, sharers = pattern.sharers;
  if (uses_l1(instruction) && cost.missed > 0) {
    asked_of_l2 = pattern.new_sectors;
    cost.missed = pattern.asking;
    if (pattern.deduced && !pattern.by_block) {
      asked_of_l2 /= use_.blocks;
      sharers = std::max(1.0, sharers / use_.blocks);
      // Blocks that begin together wait together.
      if (!use_.at_once) cost.missed /= use_.blocks;
    }
  }
  if (cost.missed == 0) return cost;
  const double part = pattern.sectors > 0 ? asked_of_l2 / pattern.sectors : 1;
  const double lines = pattern.lines * part;
  cost.paths.push_back(loaded(asked_of_l2, lines, sharers, loaded_alone(asked_of_l2, lines)));
  cross(cost.paths.back(), sharers, answer.apart);
  // The rows of latencies load one sector; the last bytes of a wider access come later.
  const double arriving = cost.paths.front().bytes / cost.missed;
  const double later = std::max(0.0, arriving - sector) * inverse("transfers/l2.load/rate.all_sms");
  const double waits = waiting_for_dram(pattern, answer);
  const double pieces = pattern.pieces * part / cost.missed;
  const DramTimes times = to_registers && answer.level == MemoryLevel::Dram ? times_of_dram() : DramTimes();
  const MemoryLevel level = times.vary() ? MemoryLevel::L2 : answer.level;
  cost.latency = beyond_l1({.level = level, .part = waits, .apart = answer.apart}, later, pieces);
  cost.paths.front().part = cost.missed;
  if (answer.level == MemoryLevel::L2) return cost;
  const double from_dram = std::min(asked_of_l2, pattern.new_sectors) * answer.part;
  PathCost& dram = cost.paths.emplace_back(to_registers ? by_threads_through_dram(from_dram, false)
                                                        : through_dram(from_dram, false));
  dram.busy *= of_pieces(pattern, false);
  dram.part = std::min(1.0, waits * std::max(1.0, pattern.pieces)) * cost.missed;
  if (!times.vary()) return cost;
  // The next lines are alike in DRAM.
  const double of_piece = pattern.lines / std::max(1.0, pattern.pieces) * line_bytes / page_bytes;
  dram.lent = std::max(dram.lent, times.mean() - times.least);
  dram.dram.times = times, dram.dram.lines = waits * pattern.pieces * cost.missed;
  dram.dram.halves = dram.dram.lines * std::max(1.0, of_piece);
  return cost;
}

/// Blocks that access the same sectors, but not all the same, are taken to be neighbours, which ask at the same time.
/// So a block waits for what DRAM has once, however many others do.
double MemoryCosts::waiting_for_dram(const AccessPattern& pattern, MemoryAnswer answer) const {
  const bool overlaps = pattern.sharers == 1 && pattern.first_sectors > 0;
  const double of_block = overlaps ? answer.absent * pattern.first_sectors / pattern.new_sectors : 0;
  const double sms = pattern.by_block ? pattern.sharers : pattern.sharers / use_.blocks;
  const double of_sharers = answer.part * std::max(1.0, sms);
  return std::min(1.0, std::max(of_sharers, of_block));
}

std::map<double, double> MemoryCosts::last_of(const std::string& entry) const {
  std::map<double, double> all;
  const std::string name = "transfers/" + entry + "/latency.last_of_";
  const auto one = leaf(name + "1");
  for (double number = 1; one && number <= warp_lanes; number *= 2) {
    if (const auto last = leaf(fmt::format("{}{}", name, number))) all[number] = *last - *one;
  }
  return all;
}

std::optional<Bounds> MemoryCosts::beyond_l1(MemoryAnswer answer, double later, double pieces) const {
  const auto near = leaf("transfers/l2.load/latency"), far = leaf("transfers/dram.load/latency");
  if (!near) return std::nullopt;
  double latency = *near + later;
  if (answer.level == MemoryLevel::Dram && far) latency += answer.part * (*far - *near);
  const auto across = leaf("transfers/l2.load/latency.far"), beside = leaf("transfers/l2.load/latency.near");
  if (across && beside) latency += answer.apart / 4 * (*across - *beside);
  // A warp waits for the last of its pieces. Lines next to each other are in one page of DRAM:
  // `async_copy/latency_dram` has 4 of them 70 cycles later than one, and of 4 that have nothing to do with each other
  // the last comes 164 later.
  const double from_dram = answer.level == MemoryLevel::Dram ? answer.part : 0;
  if (!last_in_l2_.empty()) latency += (1 - from_dram) * on_line(last_in_l2_, pieces);
  if (!last_in_dram_.empty()) latency += from_dram * on_line(last_in_dram_, pieces * from_dram);
  return Bounds{latency * use_.clock, latency * use_.clock};
}

/// L1 keeps what it loads and stores, but sends each store on to L2: counters of kernels that spill see all bytes of
/// STL there. The bytes that come from DRAM, and go there, take what an update takes (`bandwidth/update`).
MemoryCost MemoryCosts::local(const AccessPattern& pattern, bool store) const {
  const bool executed = pattern.deduced && !store, kept = !executed && !store && use_.local_bytes <= use_.l1_bytes;
  const double sectors = executed ? pattern.new_sectors : pattern.sectors;
  MemoryCost cost;
  cost.missed = kept || sectors == 0 ? 0 : executed ? pattern.asking : 1;
  if (cost.missed == 0) return cost;
  const double lines = pattern.lines * sectors / pattern.sectors, alone = sectors * sector * of_shared_lines();
  cost.paths.push_back(store ? stored(sectors, lines, 1, alone) : loaded(sectors, lines, 1, alone));
  const LocalBeyondL2& beyond = local_beyond_l2_;
  if (!store) cost.latency = beyond_l1({beyond.part > 0 ? MemoryLevel::Dram : MemoryLevel::L2, beyond.part}, 0);
  if (beyond.part > 0)
    cost.paths.push_back({.level = MemoryLevel::Dram,
                          .write = store,
                          .bytes = store ? sectors * sector : 0,  // the rate contains turns from reads to writes
                          .busy = sectors * sector / beyond.rate * use_.share,
                          .part = beyond.part});
  for (PathCost& path : cost.paths) path.part *= cost.missed;
  return cost;
}

LocalBeyondL2 MemoryCosts::local_beyond_l2() const {
  const double all = use_.local_bytes * machine_.stated.sms;
  const RateCurve of_bytes(machine_, "local.", "rate.all_sms");
  if (all <= 0 || of_bytes.empty()) return {};
  const double taken = of_bytes.at(all), least = of_bytes.least(), most = of_bytes.most();
  constexpr double noise = 0.1;  // of the rates at which L2 answers all
  const double part = most > least ? (taken - least) / (most - least) : 0;
  return part > noise ? LocalBeyondL2{part, 1 / taken} : LocalBeyondL2{};
}

/// Rows of copies contain their commit and wait (`async_copy/latency`): the wait issues when the data are there, and
/// its own stall count is the rest.
std::optional<Bounds> MemoryCosts::copy_latency(const Instruction& instruction, int bytes, MemoryLevel level) const {
  const char* cache = has_modifier(instruction, "BYPASS") ? "cg" : "ca";
  // Many copies are waited for together, so if DRAM answers some of them, the wait is for these.
  const auto latency = leaf(fmt::format("transfers/cp_async.{}.{}.{}/latency", cache, bytes, lower(level)));
  if (!latency) return std::nullopt;
  const double cycles = (*latency - CommitCost::wait) * use_.clock;
  return Bounds{cycles, cycles};
}

std::optional<MemoryCost> MemoryCosts::of(const Instruction& instruction, const AccessPattern& pattern,
                                          MemoryAnswer answer) const {
  const auto access = access_of(instruction);
  if (!access || access->bytes <= 0) return std::nullopt;
  if (access->memory == "local" && access->kind != "cache control") return local(pattern, access->kind == "store");
  const bool global = access->memory == "global" || access->memory == "generic" || access->memory == "global to shared";
  if (!global) return std::nullopt;
  if (access->kind == "load") return load(instruction, pattern, answer, true);
  if (access->kind == "atomic") return atomic(instruction, pattern, instruction.control.write_barrier >= 0, answer);
  if (access->kind == "store") return store(pattern, access->bytes * warp_lanes, answer);
  if (access->kind != "copy") return std::nullopt;
  MemoryCost cost = load(instruction, pattern, answer, false);
  if (pattern.sectors > 0) cost.latency = copy_latency(instruction, access->bytes, answer.level);
  return cost;
}

MemoryCost MemoryCosts::bulk(const Instruction& instruction, const AccessPattern& pattern, MemoryAnswer answer) const {
  const std::string entry = fmt::format("transfers/{}.load.", instruction.opcode == "UBLKCP" ? "bulk" : "tensor");
  const auto fixed = leaf(entry + "l2/latency.fixed"), far = leaf(entry + "dram/latency.fixed");
  const double wake = arrival_cost(machine_).woken;
  MemoryCost cost;
  // An SM that shares no lines gets more than through a load's path if others do not need L2.
  const std::string rates = "transfers/bulk.load.l2/";
  const double sharers = pattern.sharers * pattern.receivers;
  const bool shared = sharers > use_.blocks;
  const double least =
      shared ? use_.clock * inverse(rates + "rate.all_sms.same_lines") : inverse(rates + "rate.one_sm");
  const double lines = pattern.sectors > 0 ? pattern.lines / (pattern.sectors * sector) : 0;
  cost.paths.push_back(loaded(1 / sector, lines, sharers, least));
  cross(cost.paths.back(), sharers, answer.apart);
  if (shared) cost.paths.back().queued = queued(rates, "latency.fixed", ".same_lines");
  cost.byte_latency = leaf(entry + "l2/latency.per_byte").value_or(0);
  cost.issue = leaf(entry + "l2/issue").value_or(1);
  const bool dram = answer.level == MemoryLevel::Dram;
  const double waits = waiting_for_dram(pattern, answer);
  const double more = dram && far && fixed ? waits * (*far - *fixed) : 0;
  const double arriving = fixed ? (*fixed + more) * use_.clock - wake : 0;
  if (fixed && wake > 0) cost.latency = Bounds{arriving, arriving};
  if (dram) {
    cost.paths.push_back(through_dram(answer.part / pattern.receivers / sector, false));
    cost.paths.back().part = waits;
  }
  return cost;
}

double MemoryCosts::mixed_in_dram() const {
  const double apart = inverse("transfers/dram.load/rate.all_sms") + inverse("transfers/dram.store/rate.all_sms");
  return std::max(0.0, copied("dram") - apart * of_sm("transfers/dram.copy/", "rate.all_sms.by_threads"));
}

double MemoryCosts::written_back() const {
  return inverse("transfers/dram.store/rate.all_sms") * of_sm("transfers/dram.store/");
}

double MemoryCosts::part_of_sm(double bytes) const { return machine_.stated.sms > 0 ? bytes / machine_.stated.sms : 0; }

double queue_cycles(double bytes, double rate, double idle) {
  constexpr double reached = 0.9;
  return std::max(0.0, (bytes / (reached * rate) - idle) * (1 - reached) / reached);
}

CommitCost commit_cost(const Machine& machine) {
  CommitCost cost;
  // A pair takes the stall count of the commit, the wait, and the stall count of the wait.
  if (const Leaf* pair = find_leaf(machine, "synchronization/cp_async.commit_wait/cycles"))
    cost.commit = pair->value - CommitCost::wait;
  return cost;
}

ArrivalCost arrival_cost(const Machine& machine) {
  const auto one_way = [&](const char* how) {
    const Leaf* row = find_leaf(machine, fmt::format("synchronization/block.{}.apart_1/one_way", how));
    return row == nullptr ? 0 : row->value;
  };
  return {one_way("mbarrier_try"), one_way("mbarrier_test")};
}

}  // namespace warpclock
