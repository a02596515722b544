#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "capture/capture.hpp"
#include "check/study.hpp"
#include "inspect/load.hpp"

namespace warpclock {

/// A kernel of a build, without its instructions.
struct BuildKernel {
  std::filesystem::path file;
  std::size_t image = 0;  ///< in the file
  std::string symbol;
  KernelFacts facts;
  std::string code;  ///< of code_hashes()
};

/// A build of some kernels: a file that `load_file()` reads; a folder, where the key `source` of a stanza names the
/// file, and else all cubins and fat binaries in it and below are meant, as in a cache of Triton; or a capture.
class GateBuild {
 public:
  /// `how` as in load_file(); of its folders of headers, those are taken that are in the folder of the build. Errors
  /// "io" and "record" if there is no such file or capture.
  [[nodiscard]] static Expected<GateBuild> open(const std::filesystem::path& path, LoadOptions how);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::optional<Capture>& capture() const { return capture_; }
  [[nodiscard]] const LoadOptions& how() const { return how_; }

  /// The file that has the kernel of a case: for the key `source` of a copy of the case, beside any folder. Errors
  /// "kernel" if there is none, or several that take this launch and differ; "file" if the folder has no cubin.
  [[nodiscard]] Expected<std::string> file_of(const KernelCase& one);

  /// The kernel with this symbol; else the only one with the same name up to template arguments and parameters. Errors
  /// as file_of().
  [[nodiscard]] Expected<BuildKernel> kernel_with(const std::string& symbol);

  /// The kernels of all machine code that is not compiled from CUDA C++; errors as file_of().
  [[nodiscard]] Expected<const std::vector<BuildKernel>*> kernels();

  /// Files of the folder that could not be read, with the reason.
  [[nodiscard]] const std::vector<std::string>& unread() const { return unread_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

  std::filesystem::path path_;
  LoadOptions how_;
  bool folder_ = false;
  std::optional<Capture> capture_;
  std::optional<Expected<std::vector<BuildKernel>>> kernels_;  ///< when they were asked for
  std::vector<std::string> unread_;
};

/// A hash of what each kernel of a cubin does, whatever other kernels do: its instructions, those of the functions that
/// are beside it, and what is in constant and global memory when it begins. Error "elf".
[[nodiscard]] Expected<std::map<std::string, std::string>> code_hashes(std::string_view image);

/// Whether two kernels need the same of an SM.
[[nodiscard]] bool same_facts(const KernelFacts& one, const KernelFacts& other);

}  // namespace warpclock
