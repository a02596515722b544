#include "capture/injection/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "capture/injection/libraries.hpp"

namespace warpclock::injected {
namespace {

constexpr int most_distinct = 256;                       ///< of a kernel
constexpr std::size_t most_seen = std::size_t{1} << 18;  ///< kept to be found fast

unsigned flags_of(const LaunchCall& call) { return (call.cooperative ? 1U : 0U) + (call.overlaps ? 2U : 0U); }

std::string head_of(const LaunchCall& call, int function, int device) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", function, device, call.grid[0], call.grid[1],
                     call.grid[2], call.block[0], call.block[1], call.block[2], call.cluster[0], call.cluster[1],
                     call.cluster[2], call.shared, flags_of(call));
}

void append(std::string& key, const std::string& bytes) {
  key += ':';
  key += bytes;
}

}  // namespace

Launches::Bytes Launches::bytes_of(const LaunchCall& call, const Function& function) {
  Bytes made;
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

std::vector<Launches::Pointer> Launches::pointers_of(const Bytes& bytes) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20, most = std::uint64_t{1} << 56;
  std::vector<Pointer> found;
  for (std::size_t i = 0; i < bytes.parameters.size(); ++i) {
    const std::string& one = bytes.parameters[i];
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= one.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, one.data() + at, sizeof value);
      if (value < least || value > most) continue;
      CUdeviceptr base = 0;
      std::size_t size = 0;
      if (driver().cuMemGetAddressRange(&base, &size, value) == CUDA_SUCCESS && size > 0)
        found.push_back({i, at, value, base, size});
    }
  }
  return found;
}

std::string Launches::key_of(const std::string& head, Bytes bytes, const std::vector<Pointer>& pointers) {
  constexpr std::uint64_t alignment = 256;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const Pointer& one = pointers[i];
    const auto equal = std::ranges::find(pointers, one.address, &Pointer::address) - pointers.begin();
    const std::uint64_t stands = one.address % alignment + alignment * static_cast<std::uint64_t>(equal);
    std::memcpy(bytes.parameters[one.parameter].data() + one.at, &stands, sizeof stands);
  }
  std::string key = head;
  for (const std::string& one : bytes.parameters) append(key, one);
  return key;
}

std::string Launches::data_lines(int launch, const std::vector<Pointer>& pointers, CUstream stream) const {
  std::string lines, read;
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

void Launches::write_raw(const LaunchCall& call, const Function& function, int device, std::string& raw) {
  const std::array<unsigned, 13> head = {static_cast<unsigned>(function.id),
                                         static_cast<unsigned>(device),
                                         call.grid[0],
                                         call.grid[1],
                                         call.grid[2],
                                         call.block[0],
                                         call.block[1],
                                         call.block[2],
                                         call.cluster[0],
                                         call.cluster[1],
                                         call.cluster[2],
                                         call.shared,
                                         flags_of(call)};
  raw.assign(reinterpret_cast<const char*>(head.data()), sizeof head);
  for (std::size_t i = 0; call.parameters != nullptr && i < function.parameters.size(); ++i)
    raw.append(static_cast<const char*>(call.parameters[i]), function.parameters[i].bytes);
  if (call.parameters != nullptr || call.extra == nullptr) return;
  for (const std::string& one : bytes_of(call, function).parameters) raw += one;
}

Noted Launches::begin(const LaunchCall& call, int device, bool with_data) {
  Function* const function = functions_.find(call.function);
  if (function == nullptr) return {};
  thread_local std::string raw;
  write_raw(call, *function, device, raw);
  {
    const std::lock_guard guard(lock_);
    const auto found = seen_.find(raw);
    if (found != seen_.end()) return {found->second, nullptr};
  }
  const Bytes bytes = bytes_of(call, *function);
  const std::string head = head_of(call, function->id, device);
  const std::vector<Pointer> pointers = pointers_of(bytes);
  std::string key = key_of(head, bytes, pointers);
  bool full = false;
  Noted noted;
  {
    const std::lock_guard guard(lock_);
    full = function->distinct >= most_distinct && !distinct_.contains(key);
    if (full) key = head + " more";
    if (seen_.size() >= most_seen) seen_.clear();
    const auto [at, added] = distinct_.emplace(std::move(key), next_);
    noted.launch = at->second;
    seen_.emplace(raw, noted.launch);
    if (!added) return noted;
    ++next_;
    if (function->distinct++ == 0) noted.function = function;
  }
  std::string lines = fmt::format("launch {} {}", noted.launch, head);
  if (!bytes.known || full) lines += full ? " more" : " none";
  for (std::size_t i = 0; bytes.known && !full && i < bytes.parameters.size(); ++i)
    lines += fmt::format(" {}:{}", function->parameters[i].at, hex_of(bytes.parameters[i]));
  lines += '\n';
  for (const Pointer& one : full ? std::vector<Pointer>{} : pointers)
    lines += fmt::format("pointer {} {} {} {} {}\n", noted.launch, one.parameter, one.at, one.base, one.bytes);
  if (data_limit_ > 0 && with_data && !full) lines += data_lines(noted.launch, pointers, call.stream);
  spool_.write(lines);
  return noted;
}

void Launches::expect(std::uint32_t correlation, int launch) {
  const std::lock_guard guard(lock_);
  expected_[correlation] = launch;
}

void Launches::unexpect(std::uint32_t correlation) {
  const std::lock_guard guard(lock_);
  expected_.erase(correlation);
}

void Launches::node_is(std::uint64_t node, int launch) {
  const std::lock_guard guard(lock_);
  nodes_[node] = launch;
}

void Launches::node_cloned(std::uint64_t from, std::uint64_t to) {
  const std::lock_guard guard(lock_);
  const auto found = nodes_.find(from);
  if (found != nodes_.end()) nodes_[to] = found->second;
}

void Launches::timed(const std::vector<const CUpti_ActivityKernel10*>& kernels) {
  std::map<std::pair<int, unsigned>, std::string> times;
  std::string lines;
  {
    const std::lock_guard guard(lock_);
    for (const auto* const one : kernels) {
      int launch = -1;
      if (one->graphNodeId != 0) {
        const auto found = nodes_.find(one->graphNodeId);
        if (found != nodes_.end()) launch = found->second;
      } else if (const auto found = expected_.find(one->correlationId); found != expected_.end()) {
        launch = found->second;
        expected_.erase(found);
      }
      const std::uint64_t ns = one->end > one->start ? one->end - one->start : 0;
      if (launch >= 0)
        times[{launch, one->deviceId}] += fmt::format(" {}", ns);
      else
        lines += fmt::format("other {} {} {} {} {} {} {} {} {} {}\n", one->deviceId, one->gridX, one->gridY, one->gridZ,
                             one->blockX, one->blockY, one->blockZ, one->dynamicSharedMemory, ns,
                             hex_of(one->name == nullptr ? "" : one->name));
    }
  }
  std::map<unsigned, unsigned> clocks;
  for (const auto& [of, ns] : times) {
    const auto [clock, added] = clocks.try_emplace(of.second, 0);
    if (added) clock->second = sm_clock_mhz(static_cast<int>(of.second));
    lines += fmt::format("time {} {}{}\n", of.first, clock->second, ns);
  }
  spool_.write(lines);
}

}  // namespace warpclock::injected
