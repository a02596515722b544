#include "code/nvdisasm.hpp"

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/text.hpp"
#include "code/tool.hpp"

namespace warpclock {
namespace {

constexpr std::string_view fix =
    "install it with ./bootstrap, or name one with --nvdisasm or WARPCLOCK_NVDISASM (it comes with the CUDA Toolkit)";

constexpr Tool nvdisasm_tool{
    .name = "nvdisasm", .variable = "WARPCLOCK_NVDISASM", .built_with = WARPCLOCK_NVDISASM_DEFAULT, .fix = fix};

/// Of its message, an error has the first line, or all of them.
enum class Message { First, Whole };

Expected<std::string> said(const std::vector<std::string>& command, const std::string& input,
                           Message message = Message::First) {
  // A word of 16 bytes becomes two lines of text, and with lines of sources some more.
  constexpr std::size_t text_per_byte = 64;
  ProcessOptions options{.input = input, .timeout = std::chrono::minutes(2)};
  options.most_output += text_per_byte * input.size();
  auto ran = run_process(command, options);
  if (!ran) return fail("nvdisasm", fmt::format("{}; {}", ran.error().text, fix));
  if (ran->exit_code != 0) {
    const std::string_view all = trim(ran->err.empty() ? ran->out : ran->err);
    const std::string words =
        message == Message::Whole ? replace_all(all, "\n", "; ") : std::string(all.substr(0, all.find('\n')));
    return fail("nvdisasm", fmt::format("nvdisasm ended with status {}: {}. If it is older than NVRTC, {}",
                                        ran->exit_code, words.empty() ? "no message" : words, fix));
  }
  return std::move(ran->out);
}

}  // namespace

Expected<std::string> find_nvdisasm(const std::string& given) { return find_tool(nvdisasm_tool, given); }

Expected<std::string> nvdisasm_version(const std::string& path) { return tool_version(nvdisasm_tool, path); }

std::string nvdisasm_identity(const std::string& path) { return tool_identity(path); }

Expected<std::string> disassemble(const std::string& nvdisasm, const std::string& cubin_path) {
  return said({nvdisasm, "-hex", "-c", "-ndf", cubin_path}, {});
}

Expected<std::string> disassemble_with_lines(const std::string& nvdisasm, const std::string& cubin,
                                             std::optional<std::size_t> symbol) {
  std::vector<std::string> command = {nvdisasm, "-hex", "-c", "-g", "-ndf", "/dev/stdin"};
  if (symbol) command.insert(command.end(), {"-fun", std::to_string(*symbol)});
  return said(command, cubin);
}

Expected<std::string> disassemble_raw(const std::string& nvdisasm, const std::string& sm, std::uint64_t base,
                                      const std::string& code) {
  return said({nvdisasm, "-hex", "-b", sm, "-base", fmt::format("{:#x}", base), "/dev/stdin"}, code, Message::Whole);
}

}  // namespace warpclock
