#include "capture/injection/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "capture/injection/libraries.hpp"

namespace warpclock::injected {

std::uint64_t LaunchBytes::word(ParameterWord where) const {
  std::uint64_t value = 0;
  if (where.parameter >= parameters.size()) return value;
  const std::string& one = parameters[where.parameter];
  if (where.at + sizeof value <= one.size()) std::memcpy(&value, one.data() + where.at, sizeof value);
  return value;
}

LaunchBytes bytes_of(const LaunchCall& call, const Function& function) {
  LaunchBytes made;
  const char* packed = nullptr;
  std::size_t packed_bytes = 0;
  for (void** extra = call.extra; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) packed = static_cast<const char*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) packed_bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  made.known = function.parameters.empty() || call.parameters != nullptr || packed != nullptr;
  for (std::size_t i = 0; made.known && i < function.parameters.size(); ++i) {
    const Parameter& one = function.parameters[i];
    if (call.parameters != nullptr)
      made.parameters.emplace_back(static_cast<const char*>(call.parameters[i]), one.bytes);
    else if (one.at + one.bytes <= packed_bytes)
      made.parameters.emplace_back(packed + one.at, one.bytes);
    else
      made.known = false;
  }
  return made;
}

void LaunchKey::add(std::uint64_t word) {
  constexpr std::uint64_t first = 0xff51afd7ed558ccd, second = 0xc4ceb9fe1a85ec53;
  constexpr int half = 32, some = 27;
  a = (a ^ word) * first;
  a ^= a >> half;
  b = std::rotl(b + word, some) * second;
  b ^= b >> half;
}

void LaunchKey::add(const char* bytes, std::size_t count) {
  add(count);
  for (std::size_t at = 0; at < count; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min(sizeof word, count - at));
    add(word);
  }
}

void LaunchKey::add(const LaunchCall& call, int function, int device) {
  add(static_cast<std::uint64_t>(function));
  add(static_cast<std::uint64_t>(device));
  for (const auto* const extents : {&call.grid, &call.block, &call.cluster}) {
    for (const unsigned extent : *extents) add(extent);
  }
  add(call.shared);
  add(call.flags());
}

namespace {

constexpr int most_distinct = 256;                       ///< of a kernel
constexpr std::size_t most_seen = std::size_t{1} << 18;  ///< kept to be found fast
constexpr std::uint64_t least_address = std::uint64_t{1} << 20, most_address = std::uint64_t{1} << 56;

}  // namespace

std::vector<Launches::Pointer> Launches::pointers_of(const LaunchBytes& bytes) const {
  std::vector<Pointer> found;
  // The driver is not called with a lock that is held.
  Allocations of_graphs;
  {
    const std::lock_guard guard(lock_);
    of_graphs = of_graphs_;
  }
  for (std::size_t i = 0; i < bytes.parameters.size(); ++i) {
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.parameters[i].size(); at += sizeof(std::uint64_t)) {
      const std::uint64_t value = bytes.word({i, at});
      if (value < least_address || value > most_address) continue;
      CUdeviceptr base = 0;
      std::size_t size = 0;
      if (driver().cuMemGetAddressRange(&base, &size, value) == CUDA_SUCCESS && size > 0)
        found.push_back({{i, at}, value, base, size});
      else if (const auto of_graph = allocation_of(value, of_graphs); of_graph != of_graphs.end())
        found.push_back({{i, at}, value, of_graph->first, of_graph->second});
    }
  }
  return found;
}

std::vector<Launches::Pointer> Launches::likely_pointers(const LaunchBytes& bytes, const Function& function) const {
  std::vector<Pointer> found;
  const std::lock_guard guard(lock_);
  for (const ParameterWord where : function.pointers) {
    const std::uint64_t value = bytes.word(where);
    const auto at = allocation_of(value, allocations_);
    if (at != allocations_.end()) found.push_back({where, value, at->first, at->second});
  }
  return found;
}

/// Which pointers are equal matters only among a few: tables of many are of arrays that have nothing to do with each
/// other.
LaunchKey Launches::key_of(const LaunchCall& call, int function, int device, const LaunchBytes& bytes,
                           const std::vector<Pointer>& pointers) {
  constexpr std::uint64_t alignment = 256;
  constexpr std::size_t few = 16;
  LaunchKey key;
  key.add(call, function, device);
  thread_local std::vector<std::string> parameters;
  parameters = bytes.parameters;
  for (const Pointer& one : pointers) {
    const auto equal =
        pointers.size() <= few ? std::ranges::find(pointers, one.address, &Pointer::address) - pointers.begin() : 0;
    const std::uint64_t stands = one.address % alignment + alignment * static_cast<std::uint64_t>(equal);
    std::memcpy(parameters[one.where.parameter].data() + one.where.at, &stands, sizeof stands);
  }
  for (const std::string& one : parameters) key.add(one.data(), one.size());
  return key;
}

std::string Launches::data_lines(int launch, const std::vector<Pointer>& pointers, CUstream stream) {
  std::string lines, read;
  for (const Pointer& one : pointers) {
    std::string with;
    {
      const std::lock_guard guard(lock_);
      if (auto known = filled_.extract(one.address)) with = std::move(known.mapped());
    }
    const std::string hash = with.empty() ? "" : spool_.keep("data", with);
    if (!hash.empty()) lines += fmt::format("data {} {} {} {}\n", launch, one.address, with.size(), hash);
  }
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (driver().cuStreamIsCapturing(stream, &capturing) != CUDA_SUCCESS || capturing != CU_STREAM_CAPTURE_STATUS_NONE ||
      driver().cuStreamSynchronize(stream) != CUDA_SUCCESS)
    return lines;
  for (const Pointer& one : pointers) {
    const std::uint64_t bytes = std::min<std::uint64_t>(data_limit_, one.base + one.bytes - one.address);
    read.resize(bytes);
    if (driver().cuMemcpyDtoHAsync(read.data(), one.address, bytes, stream) != CUDA_SUCCESS ||
        driver().cuStreamSynchronize(stream) != CUDA_SUCCESS)
      continue;
    const std::string hash = spool_.keep("data", read);
    if (!hash.empty()) lines += fmt::format("data {} {} {} {}\n", launch, one.address, bytes, hash);
  }
  return lines;
}

Noted Launches::distinct(const LaunchKey& raw, const LaunchKey& key, Function& function) {
  const std::lock_guard guard(lock_);
  if (seen_.size() >= most_seen) seen_.clear();
  const auto [at, added] = distinct_.emplace(key, next_);
  seen_.emplace(raw, at->second);
  if (!added) return {at->second, {}, nullptr, false};
  ++next_;
  return {at->second, {}, function.distinct++ == 0 ? &function : nullptr, true};
}

void Launches::learn(Function& function, const std::vector<Pointer>& pointers) {
  constexpr std::size_t most_allocations = std::size_t{1} << 16;
  const std::lock_guard guard(lock_);
  if (allocations_.size() >= most_allocations) allocations_.clear();
  for (const Pointer& one : pointers) {
    allocations_[one.base] = one.bytes;
    const auto at = std::ranges::lower_bound(function.pointers, one.where);
    if (at == function.pointers.end() || *at != one.where) function.pointers.insert(at, one.where);
  }
}

void Launches::write_launch(const LaunchCall& call, const Function& function, int device, int launch,
                            const LaunchBytes& bytes, const std::vector<Pointer>& pointers, bool with_data) {
  const bool full = function.distinct > most_distinct;
  std::string lines = fmt::format("launch {} {} {} {} {} {} {} {} {} {} {} {} {} {}", launch, function.id, device,
                                  call.grid[0], call.grid[1], call.grid[2], call.block[0], call.block[1], call.block[2],
                                  call.cluster[0], call.cluster[1], call.cluster[2], call.shared, call.flags());
  if (full || !bytes.known) return spool_.write(lines + (full ? " more\n" : " none\n"));
  for (std::size_t i = 0; i < bytes.parameters.size(); ++i)
    lines += fmt::format(" {}:{}", function.parameters[i].at, hex_of(bytes.parameters[i]));
  lines += '\n';
  for (const Pointer& one : pointers)
    lines += fmt::format("pointer {} {} {} {} {}\n", launch, one.where.parameter, one.where.at, one.base, one.bytes);
  if (data_limit_ > 0 && with_data) lines += data_lines(launch, pointers, call.stream);
  spool_.write(lines);
}

LaunchAddresses Launches::addresses_of(const LaunchCall& call, const Function& function, const LaunchBytes& bytes) {
  LaunchAddresses all;
  for (const ParameterWord where : function.pointers) {
    std::uint64_t address = 0;
    if (call.parameters != nullptr)
      std::memcpy(&address, static_cast<const char*>(call.parameters[where.parameter]) + where.at, sizeof address);
    else
      address = bytes.word(where);
    all.emplace_back(where, address);
  }
  return all;
}

std::string Launches::used(unsigned device, int launch, const LaunchAddresses& addresses) {
  const auto which = static_cast<std::size_t>(launch);
  if (runs_.size() <= which) runs_.resize(which + 1);
  const bool told = std::has_single_bit(++runs_[which]);
  const std::int64_t now = ++launched_[device];
  std::string line;
  for (const auto& [where, address] : told ? addresses : LaunchAddresses()) {
    const LastUse use = last_uses_.of(address, allocations_, now);
    line += fmt::format(" {}:{}:{}", where.parameter, where.at, use.ago);
    if (use.below > 0) line += fmt::format(":{}:{}", use.below, use.since);
  }
  for (const auto& [where, address] : addresses) last_uses_.note(address, now);
  return line.empty() ? line : fmt::format("ago {}{}\n", launch, line);
}

Noted Launches::begin(const LaunchCall& call, int device, bool with_data) {
  Function* const function = functions_.find(call.function);
  if (function == nullptr) return {};
  LaunchKey raw;
  raw.add(call, function->id, device);
  for (std::size_t i = 0; call.parameters != nullptr && i < function->parameters.size(); ++i)
    raw.add(static_cast<const char*>(call.parameters[i]), function->parameters[i].bytes);
  const LaunchBytes bytes = call.parameters == nullptr ? bytes_of(call, *function) : LaunchBytes{};
  for (const std::string& one : bytes.parameters) raw.add(one.data(), one.size());
  Noted noted;
  {
    const std::lock_guard guard(lock_);
    const auto found = seen_.find(raw);
    if (found != seen_.end()) noted.launch = found->second;
  }
  if (noted.launch < 0) noted = begin_new(call, *function, device, with_data, raw);
  const std::lock_guard guard(lock_);
  noted.addresses = addresses_of(call, *function, bytes);
  return noted;
}

Noted Launches::begin_new(const LaunchCall& call, Function& function, int device, bool with_data,
                          const LaunchKey& raw) {
  const LaunchBytes bytes = bytes_of(call, function);
  LaunchKey key = key_of(call, function.id, device, bytes, likely_pointers(bytes, function));
  bool full = false;
  {
    const std::lock_guard guard(lock_);
    const auto found = distinct_.find(key);
    if (found != distinct_.end()) {
      seen_.emplace(raw, found->second);
      return {found->second, {}, nullptr, false};
    }
    full = function.distinct >= most_distinct;
  }
  std::vector<Pointer> pointers;
  if (full) {
    // All that are too many count as one, for each grid and block.
    key = LaunchKey{};
    key.add(call, function.id, device);
  } else {
    pointers = pointers_of(bytes);
    learn(function, pointers);
    key = key_of(call, function.id, device, bytes, pointers);
  }
  Noted noted = distinct(raw, key, function);
  if (noted.added) write_launch(call, function, device, noted.launch, bytes, pointers, with_data);
  return noted;
}

void Launches::expect(std::uint32_t correlation, const Noted& noted) {
  const std::lock_guard guard(lock_);
  expected_[correlation] = {.launch = noted.launch, .addresses = noted.addresses};
}

void Launches::unexpect(std::uint32_t correlation) {
  const std::lock_guard guard(lock_);
  expected_.erase(correlation);
}

void Launches::allocated(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard guard(lock_);
  of_graphs_[address] = bytes;
}

void Launches::filled(std::uint64_t address, std::size_t bytes, char with) {
  const std::lock_guard guard(lock_);
  filled_[address] = std::string(std::min<std::size_t>(bytes, data_limit_), with);
}

void Launches::timed(std::vector<const CUpti_ActivityKernel10*> kernels, const GraphNodes& nodes) {
  std::ranges::stable_sort(kernels, {}, [](const auto* one) { return one->start; });
  std::map<std::pair<int, unsigned>, std::string> times;
  std::string lines, order, uses;
  {
    const std::lock_guard guard(lock_);
    for (const auto* const one : kernels) {
      std::optional<Planned> planned;
      if (one->graphNodeId != 0) {
        const auto extents = [](auto x, auto y, auto z) {
          return std::array{static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
        };
        planned = nodes.find(one->graphNodeId, extents(one->gridX, one->gridY, one->gridZ),
                             extents(one->blockX, one->blockY, one->blockZ));
      } else if (auto expected = expected_.extract(one->correlationId)) {
        planned = std::move(expected.mapped());
      }
      const std::uint64_t ns = one->end > one->start ? one->end - one->start : 0;
      if (planned) {
        times[{planned->launch, one->deviceId}] += fmt::format(" {}", ns);
        order += fmt::format(" {}", planned->launch);
        uses += used(one->deviceId, planned->launch, planned->addresses);
      } else {
        lines += fmt::format("other {} {} {} {} {} {} {} {} {} {}\n", one->deviceId, one->gridX, one->gridY, one->gridZ,
                             one->blockX, one->blockY, one->blockZ, one->dynamicSharedMemory, ns,
                             hex_of(one->name == nullptr ? "" : one->name));
      }
    }
  }
  std::map<unsigned, unsigned> clocks;
  for (const auto& [of, ns] : times) {
    const auto [clock, added] = clocks.try_emplace(of.second, 0);
    if (added) clock->second = sm_clock_mhz(static_cast<int>(of.second));
    lines += fmt::format("time {} {}{}\n", of.first, clock->second, ns);
  }
  if (!order.empty()) lines += "order" + order + '\n';
  spool_.write(lines + uses);
}

}  // namespace warpclock::injected
