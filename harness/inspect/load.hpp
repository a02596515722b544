#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "code/listing.hpp"
#include "inspect/image/kernel_facts.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// Where in a source file an instruction comes from; an empty file if the cubin does not say.
struct SourceLine {
  std::string file;
  int line = 0;

  auto operator<=>(const SourceLine&) const = default;
};

struct LoadedKernel {
  KernelFacts facts;
  Listing listing;
  std::vector<SourceLine> lines;  ///< one for each instruction; empty if the cubin has no line information
  std::size_t image = 0;          ///< in LoadedFile::images
};

struct LoadedFile {
  std::string kind;  ///< "cubin", "fat binary", "PTX", "CUDA C++", "CUDA C++ by nvcc"
  Arch arch;
  std::vector<LoadedKernel> kernels;     ///< in the order of the file, kernels before functions
  std::vector<std::string> images = {};  ///< the cubins that hold them
};

/// A file whose machine code is not disassembled yet.
struct CubinFile {
  std::string path, kind;                                              ///< see LoadedFile::kind
  std::vector<std::string> images;                                     ///< the cubins that are meant
  std::vector<std::map<std::string, KernelFacts, std::less<>>> facts;  ///< of each, by the symbol of the kernel
};

struct LoadOptions {
  Arch arch;                         ///< what to compile for, and the machine code to take of several
  bool arch_given = false;           ///< whether another one is an error where the file has only one
  std::vector<std::string> include;  ///< folders of headers for CUDA C++, apart from that of the file
  std::vector<std::string> defines;  ///< macros for CUDA C++, as "SIZE=32"
  std::string nvdisasm;
  std::string kernel = {};  ///< only cubins with a kernel that is meant by this word (see is_meant) are read
  std::string only = {};    ///< only the kernel with this symbol is disassembled; empty: all of a cubin
  std::string cache = {};   ///< the folder of Cache::open(), which keeps what nvdisasm prints
};

/// Reads a file; its content says what it is, apart from CUDA C++, whose name ends in .cu. Errors: "io"; "elf",
/// "fat-binary", "listing" and "nvdisasm" if it is damaged; "compile-error"; "compiler-died"; "unsupported-arch" if it
/// has no machine code for the architecture; "no-kernel"; "kernel" if none is meant; "file" if it is none of these.
[[nodiscard]] Expected<LoadedFile> load_file(const std::filesystem::path& path, const LoadOptions& options);

/// Whether a file is CUDA C++, by its name.
[[nodiscard]] bool is_source(const std::filesystem::path& path);

/// The parts of load_file(): reads the file, and disassembles all of its cubins. Or one of them, for libraries with
/// thousands of kernels; several threads may do that at once.
[[nodiscard]] Expected<CubinFile> open_file(const std::filesystem::path& path, const LoadOptions& options);
[[nodiscard]] Expected<LoadedFile> load_cubins(CubinFile cubins, const LoadOptions& options);
[[nodiscard]] Expected<std::vector<LoadedKernel>> load_cubin(const CubinFile& file, std::size_t image,
                                                             const LoadOptions& options);

/// A PTX module and the architecture of its `.target`.
struct PtxModule {
  std::string text;
  Arch target;
};

/// The PTX of a file: its text, or what a compiler makes of CUDA C++ for `options.arch`. Errors: "io"; "compile-error";
/// "config" for a `.target` that is not known; "file" if it is neither.
[[nodiscard]] Expected<PtxModule> ptx_of(const std::filesystem::path& path, const LoadOptions& options);

/// The line of each instruction of each kernel section, from comments `//## File "a.cu", line 3` in the output of
/// nvdisasm. Kernels without any are left out.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<SourceLine>>> source_lines(std::string_view disassembly);

}  // namespace warpclock
