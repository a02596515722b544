#include "cli/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/files/marked.hpp"
#include "base/files/packed_file.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "compile/compiler/nvrtc.hpp"
#include "gpu/worker/worker.hpp"
#include "model/measured.hpp"

namespace warpclock {

std::string wrong_number(const std::string& given) {
  if (!std::isfinite(std::strtod(given.c_str(), nullptr))) return fmt::format("'{}' is not a finite number", given);
  errno = 0;
  const bool negative = given.starts_with('-');
  if (negative ? std::strtoll(given.c_str(), nullptr, 0) != 0 : std::strtoull(given.c_str(), nullptr, 0) != 0)
    return errno == ERANGE ? fmt::format("'{}' is too large", given) : "";
  return "";
}

namespace {

struct KnownGpu {
  std::string_view name, arch;
};
constexpr std::array products = {
    KnownGpu{"T4", "sm_75"},      KnownGpu{"A100", "sm_80"},    KnownGpu{"A30", "sm_80"},
    KnownGpu{"A10", "sm_86"},     KnownGpu{"A40", "sm_86"},     KnownGpu{"A6000", "sm_86"},
    KnownGpu{"3090", "sm_86"},    KnownGpu{"Orin", "sm_87"},    KnownGpu{"L4", "sm_89"},
    KnownGpu{"L40", "sm_89"},     KnownGpu{"L40S", "sm_89"},    KnownGpu{"4090", "sm_89"},
    KnownGpu{"H100", "sm_90a"},   KnownGpu{"H200", "sm_90a"},   KnownGpu{"GH200", "sm_90a"},
    KnownGpu{"B200", "sm_100a"},  KnownGpu{"GB200", "sm_100a"}, KnownGpu{"B300", "sm_103a"},
    KnownGpu{"GB300", "sm_103a"}, KnownGpu{"Thor", "sm_110a"},  KnownGpu{"5090", "sm_120a"},
    KnownGpu{"Spark", "sm_121a"}, KnownGpu{"GB10", "sm_121a"},
};

/// "sm_90a" of "90a", "SM90a", "compute_90a" and "H100"; other words as they are. What is before a product's name
/// counts for nothing: "NVIDIA GeForce RTX 5090", "dgx-spark".
std::string canonical(std::string_view text) {
  const std::string word = to_lower(trim(text));
  const std::string_view last = std::string_view(word).substr(word.find_last_of(" -") + 1);
  const auto product = std::ranges::find(products, last, [](const KnownGpu& one) { return to_lower(one.name); });
  if (product != products.end()) return std::string(product->arch);
  std::string_view digits = word;
  for (const std::string_view prefix : {"compute", "sm", "_"})
    if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  return !digits.empty() && is_digit(digits.front()) ? fmt::format("sm_{}", digits) : std::string(text);
}

std::string known_ones() {
  std::vector<std::string> names;
  for (const int sm : supported_sms()) {
    names.push_back(fmt::format("sm_{}", sm));
    // Before sm_90 there are no architecture-specific variants, and before sm_100 none for a family.
    if (sm >= 90) names.back() += sm >= 100 ? "[a|f]" : "[a]";
  }
  std::vector<std::string> of_gpus;
  for (const KnownGpu& product : products) of_gpus.emplace_back(product.name);
  names.push_back(fmt::format("or a GPU: {}", join(of_gpus, ", ")));
  return join(names, ", ");
}

}  // namespace

CLI::Option* add_arch_option(CLI::App& command, std::string& value, const std::string& text) {
  return add_value(command, "--arch", "ARCH,...", value, text)->check([](const std::string& given) {
    return trim(given).empty() ? "no architecture is named" : "";
  });
}

Expected<Arch> named_arch(std::string_view text) {
  const auto arch = parse_arch(canonical(text));
  if (!arch) return fail("usage", fmt::format("unknown architecture '{}': say {}", text, known_ones()));
  const auto target = target_for(*arch);
  if (target && !target->is_ptx) return arch;
  // Without NVRTC no architecture can be served, so naming others would not help.
  if (supported_sms().empty()) return std::unexpected(target.error());
  return fail("usage",
              fmt::format("CUDA {} does not know {}: say {}", nvrtc_version(), to_string(*arch), known_ones()));
}

Expected<std::vector<Arch>> named_archs(std::string_view text) {
  if (to_lower(trim(text)) == "all") return all_archs();
  std::vector<Arch> archs;
  for (const std::string& piece : split(text, ',')) {
    const auto arch = WARPCLOCK_TRY(named_arch(piece));
    if (std::ranges::find(archs, arch) == archs.end()) archs.push_back(arch);
  }
  return archs;
}

bool is_device(const std::string& word) {
  return word.starts_with("GPU-") || word.starts_with("MIG-") || (!word.empty() && std::ranges::all_of(word, is_digit));
}

Expected<std::string> visible_devices(const std::string& word, const std::string& before) {
  if (!is_device(word)) {
    return fail("usage", fmt::format("--gpu: '{}' is neither a number nor a UUID; nvidia-smi -L lists both", word));
  }
  if (before.empty() || !is_digit(word.front())) return word;
  const std::vector<std::string> visible = split(before, ',');
  const auto index = leading_number<std::size_t>(word);
  if (index && *index < visible.size()) return visible[*index];
  return fail("usage", fmt::format("--gpu {}: CUDA_VISIBLE_DEVICES={} leaves {} visible, counted from 0", word, before,
                                   visible.size()));
}

Expected<void> use_gpu(const std::string& word) {
  if (word.empty()) return {};
  constexpr const char* variable = "CUDA_VISIBLE_DEVICES";
  const char* before = std::getenv(variable);
  const std::string visible = WARPCLOCK_TRY(visible_devices(word, before == nullptr ? "" : before));
  // Numbers as nvidia-smi has them; by default CUDA puts the fastest GPU first.
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
  setenv(variable, visible.c_str(), 1);
  return {};
}

CLI::Option* add_device_option(CLI::App& command, std::string& word) {
  return add_value(command, "--gpu", "N|UUID", word,
                   "The GPU to use: its number or UUID, as nvidia-smi -L lists them; else 0");
}

std::string file_kind(std::string_view bytes) {
  // The head has all that distinguishes these, and a file may be large.
  constexpr std::size_t head = 65536;
  const std::string_view text = trim(bytes.substr(0, head));
  if (text.starts_with("\x7f"
                       "ELF"))
    return "a cubin, library or program, which `warpclock inspect` reads";
  if (text.starts_with("{\"schema\"") || (text.starts_with('{') && text.contains("\"provenance\"")))
    return "a record of warpclock, which report, compare, replay and export read";
  if (text.starts_with("<!-- Generated by warpclock") || text.starts_with("<!DOCTYPE html"))
    return "a page; the record is the .json or .json.gz next to it";
  if (text.contains(".version") && text.contains(".target") && text.contains(".entry"))
    return "a whole PTX module, which `warpclock inspect` reads";
  if (text.contains("__global__") || text.contains("#include")) return "CUDA C++, which `warpclock inspect` reads";
  if (text.starts_with("family:")) return "a config, which --configs reads with its folder";
  return {};
}

Error with_file_kind(Error error, const std::string& path, std::string_view command) {
  std::error_code ignored;
  // What came from a pipe does not come again.
  if (!std::filesystem::is_regular_file(packed_path(path), ignored)) return error;
  const auto bytes = read_packed_file(path);
  const std::string kind = bytes ? file_kind(*bytes) : "";
  if (!kind.empty() && !kind.contains(fmt::format("`warpclock {}`", command)) && error.code != ErrorCode::RecordKind)
    error.text += fmt::format("; this is {}", kind);
  return error;
}

Expected<void> write_named(const std::string& path, std::string_view text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    return fail("write", "there is no such folder: make it, or correct the path", folder.string());
  return write_marked(path, text);
}

std::function<void(std::size_t, std::size_t)> progress_on_terminal(const std::string& noun) {
  if (!is_terminal(Stream::Err)) return {};
  return [noun](std::size_t done, std::size_t total) {
    fmt::print(stderr, "\r\033[K{}/{} {}", done, total, noun);
    if (done == total) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  };
}

void clear_progress() {
  if (!is_terminal(Stream::Err)) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void SheetFormat::add_options(CLI::App& command, bool tables) {
  auto* as_json = command.add_flag("--json", json, "Machine-readable");
  if (tables) command.add_flag("--csv", csv, "The rows as a table for other programs")->excludes(as_json);
}

void print(const Sheet& sheet, const SheetFormat& format) {
  fmt::print("{}", format.json  ? pretty(to_json(sheet))
                   : format.csv ? to_csv(sheet)
                                : to_text(sheet, Style(Stream::Out)));
}

namespace {

/// "256" or "32x8x1": what is along x, y and z.
std::optional<std::array<std::int64_t, 3>> extents_of(std::string_view text, std::int64_t most) {
  std::array<std::int64_t, 3> extents = {1, 1, 1};
  const std::vector<std::string> words = split(text, 'x');
  if (words.size() > extents.size()) return std::nullopt;
  std::int64_t all = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    extents[i] = decimal_or_hex(words[i]).value_or(0);
    if (extents[i] < 1 || extents[i] > most / all) return std::nullopt;
    all *= extents[i];
  }
  return extents;
}

}  // namespace

std::optional<std::int64_t> bytes_of_size(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 4> units = {{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"B", 0}}};
  int shift = 0;
  for (const auto& [unit, by] : units) {
    if (!text.ends_with(unit) || text.starts_with("0x")) continue;
    text.remove_suffix(unit.size());
    shift = by;
    break;
  }
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const auto number = decimal_or_hex(text);
  return number && *number > 0 && *number <= most >> shift ? std::optional(*number << shift) : std::nullopt;
}

Expected<LaunchOption> launch_option(const std::string& text) {
  constexpr std::int64_t most_threads = 1024, most_shared = 1 << 20, most_blocks = std::int64_t{1} << 40;
  const std::vector<std::string> words = split(text, ',');
  const bool few = words.size() == 2 || words.size() == 3;
  const auto grid = few ? extents_of(words[0], most_blocks) : std::nullopt;
  const auto block = few ? extents_of(words[1], most_threads) : std::nullopt;
  const auto shared = words.size() == 3 ? decimal_or_hex(words[2]) : std::optional<std::int64_t>(0);
  if (!grid || !block || !shared || *shared > most_shared)
    return fail("option", "--launch is GRID,BLOCK or GRID,BLOCK,SHARED, as 1056,256,49152 or 32x32,32x8", text);
  return LaunchOption{*grid, *block, *shared};
}

Expected<std::pair<std::string, std::string>> option_halves(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return fail("option", option + " is WHAT=VALUE", text);
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::vector<std::string> option_pieces(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    for (std::string& word : split(text, ',')) words.push_back(std::move(word));
  }
  return words;
}

Expected<GivenArguments> argument_options(const std::vector<std::string>& values,
                                          const std::vector<std::string>& buffers) {
  GivenArguments given;
  constexpr std::int64_t most_arguments = 4096;
  const auto number_of = [](const std::string& text) {
    const auto number = decimal_or_hex(text);
    return number && *number < most_arguments ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  for (const std::string& text : option_pieces(values)) {
    const auto [which, value] = WARPCLOCK_TRY(option_halves("--arg", text));
    const auto number = number_of(which);
    if (!number || value.empty())
      return fail("option", "--arg is N=VALUE with the number of an argument from 0, as 3=4096 or 4=0.5", text);
    if (!given.values.emplace(*number, value).second) return fail("option", "--arg gives an argument twice", text);
  }
  for (const std::string& text : option_pieces(buffers)) {
    const auto [which, size] = WARPCLOCK_TRY(option_halves("--buffer", text));
    const auto number = number_of(which);
    const std::size_t colon = size.find(':');
    const auto bytes = bytes_of_size(std::string_view(size).substr(0, colon));
    const std::string holds = colon == size.npos ? "" : size.substr(colon + 1);
    if (!number || !bytes || (holds.empty() && colon != size.npos))
      return fail(
          "option",
          "--buffer is N=SIZE or N=SIZE:HOLDS with the number of an argument from 0, as 0=64MiB or 0=64MiB:iota", text);
    if (given.values.contains(*number) || !given.buffers.emplace(*number, GivenBuffer{*bytes, holds}).second)
      return fail("option", "--buffer gives an argument twice", text);
  }
  return given;
}

CLI::Option* GpuChoice::add_options(CLI::App& command) {
  add_value(command, "--reports", "DIR", reports,
            "Folder of reports, with a folder for each GPU; without it, `reports` here, or next to the program or "
            "above it");
  return add_value(command, "--gpu", "GPU", gpu,
                   "A measured GPU: h200, h100, or the name of its folder of reports; or a GPU of this machine: its "
                   "number or UUID");
}

namespace {

/// "4090" is what a GPU is called; no machine has so many.
bool is_model_number(const std::string& word) { return word.size() > 2 && std::ranges::all_of(word, is_digit); }

}  // namespace

Expected<GpuChoice> with_device(GpuChoice choice) {
  if (!is_device(choice.gpu) || is_model_number(choice.gpu)) return choice;
  WARPCLOCK_TRY(use_gpu(choice.gpu));
  choice.gpu.clear();
  choice.here = true;
  return choice;
}

Expected<std::string> chosen_folder(const std::filesystem::path& reports, const GpuChoice& choice) {
  const auto names = WARPCLOCK_TRY(measured_gpus(reports));
  const GpuChoice chosen = WARPCLOCK_TRY(with_device(choice));
  if (!chosen.gpu.empty()) return choose_gpu(names, chosen.gpu);
  const auto worker = Worker::start();
  if (!worker) return fail("gpu", fmt::format("there is no GPU here: name a measured one by --gpu{}", hint("", names)));
  const std::string here = worker->device().slug;
  if (std::ranges::find(names, here) != names.end()) return here;
  return fail("gpu",
              fmt::format("there are no reports of {}: measure it by ./bootstrap run, or name another by --gpu{}", here,
                          hint("", names)));
}

Expected<std::vector<std::filesystem::path>> answering_folders(const GpuChoice& choice) {
  std::vector<std::filesystem::path> folders;
  const bool named = !choice.gpu.empty() || !choice.reports.empty();
  auto reports = named ? std::optional(WARPCLOCK_TRY(find_reports(choice.reports))) : WARPCLOCK_TRY(usual_reports());
  if (!reports) return folders;
  const auto names = WARPCLOCK_TRY(measured_gpus(*reports));
  if (!choice.gpu.empty()) {
    const auto chosen = WARPCLOCK_TRY(choose_gpu(names, choice.gpu));
    folders.push_back(*reports / chosen);
    return folders;
  }
  for (const std::string& name : names) folders.push_back(*reports / name);
  return folders;
}

std::string short_name(const DeviceFacts& device) {
  constexpr std::string_view maker = "NVIDIA ";
  return device.name.starts_with(maker) ? device.name.substr(maker.size()) : device.name;
}

std::string measured_when(const DeviceFacts& device, const Provenance& provenance) {
  return fmt::format("{}, measured {}", short_name(device), provenance.date.substr(0, provenance.date.find('T')));
}

GpuChoice or_usual(GpuChoice choice) {
  if (choice.gpu.empty()) choice.gpu = "h200";
  return choice;
}

Expected<Machine> load_machine(const GpuChoice& choice) {
  const auto reports = WARPCLOCK_TRY(find_reports(choice.reports));
  const auto folder = WARPCLOCK_TRY(chosen_folder(reports, choice));
  return make_machine(WARPCLOCK_TRY(read_measured_gpu(reports, folder)));
}

Expected<std::vector<Machine>> load_machines(const GpuChoice& choice) {
  std::vector<Machine> machines;
  GpuChoice one = or_usual(choice);
  for (std::string& gpu : split(one.gpu, ',')) {
    one.gpu = std::move(gpu);
    machines.push_back(WARPCLOCK_TRY(load_machine(one)));
  }
  return machines;
}

}  // namespace warpclock
