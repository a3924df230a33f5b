#include "submissions/build/emulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <sstream>

#include "core/machine/own_files.h"
#include "emulator/rewrite/tokens.h"
#include "submissions/build/files.h"
#include "submissions/build/messages.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

constexpr const char* kNoGpu = " cannot be run without a GPU";
// What the rewriter puts in the place of code that no emulator runs, with what it is as a text.
const std::string kRefusal = "gemmlab_cannot_be_run_without_a_GPU";

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int at = 0; at < number; ++at) {
    if (!std::getline(lines, line)) return {};
  }
  return line;
}

/// The text in the first pair of `quotes` behind `lead`; empty where there is none.
std::string between(const std::string& text, const std::string& lead, const std::string& end) {
  const std::size_t found = text.find(lead);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + lead.size();
  const std::size_t stop = text.find(end, begin);
  return stop == std::string::npos ? std::string() : text.substr(begin, stop - begin);
}

/// The first name in quotes, of g++ or of the source: 'cub::X'; empty where there is none.
std::string quoted_name(const std::string& text) {
  for (const char* const open : {"\u2018", "'"}) {
    const std::size_t begin = text.find(open);
    if (begin == std::string::npos) continue;
    const std::size_t name = begin + std::string(open).size();
    const std::size_t end = text.find_first_of("'\xe2", name);
    return text.substr(name, end == std::string::npos ? end : end - name);
  }
  return {};
}

bool begins_with_one_of(const std::string& text, std::initializer_list<const char*> heads) {
  return std::any_of(heads.begin(), heads.end(), [&](const char* head) { return text.rfind(head, 0) == 0; });
}

/// Is it a word of CUDA's, by its form? What g++ does not know of these the emulator lacks: nobody's mistake.
bool is_word_of_cuda(const std::string& name) {
  const bool driver =
      name.size() > 2 && name.rfind("cu", 0) == 0 && std::isupper(static_cast<unsigned char>(name[2])) != 0;
  return driver || begins_with_one_of(
                       name, {"cuda",   "CU_",     "CUDA",   "CUtensor", "CUresult", "__",
                              "tex1D",  "tex2D",   "tex3D",  "texture",  "surf1D",   "surf2D",
                              "surf3D", "surface", "atomic", "cublas",   "cusparse", "curand",
                              "cufft",  "nvcuda",  "cub::",  "cub",      "thrust",   "cooperative_groups",
                              "cg::",   "wmma",    "nvtx",   "cutlass",  "cute",     "half2",
                              "__nv"});
}

/// A name that the emulator lacks, of a message that one is unknown; empty for other messages.
/// `line`: of the source, at which it is.
std::string unknown_word(const CompilerMessage& message, const std::string& line) {
  const std::string& text = message.text;
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  const std::string name = quoted_name(text);
  if (has("is not a member of")) {
    const std::string of = quoted_name(text.substr(text.find("is not a member of")));
    const bool std_of_cuda =
        begins_with_one_of(of, {"cub", "cuda", "cooperative_groups", "nvcuda", "thrust"});
    return std_of_cuda || is_word_of_cuda(name)
               ? (name.find(':') == std::string::npos ? of + "::" + name : name)
               : "";
  }
  if (has("is not a namespace-name")) {
    for (const char* of : {"thrust::", "cub::", "cuda::", "cooperative_groups::", "nvcuda::"})
      if (line.find(of) != std::string::npos) return of + name;
    return {};
  }
  if (has("has no member named")) {
    const std::size_t member = text.find("has no member named");
    const std::string of = name.substr(name.find_first_not_of(' '));
    const bool its =
        begins_with_one_of(of, {"class cooperative_groups", "class cub", "class thrust", "struct thrust",
                                "thrust::", "class cuda", "struct cuda", "class nvcuda", "struct cub",
                                "using ", "cooperative_groups", "cub::", "cuda"});
    return its ? quoted_name(text.substr(member)) : "";
  }
  if (const std::string header = header_not_found(message); !header.empty()) {
    const bool its =
        begins_with_one_of(header, {"cu", "thrust/", "nv", "cooperative_groups/", "cutlass/", "cute/", "mma",
                                    "crt/", "sm_", "surface_", "texture_", "device_"});
    return its ? "<" + header + ">" : "";
  }
  if (has("was not declared") || has("does not name a type") || has("has not been declared") ||
      has("no matching function for call to") || has("there are no arguments to"))
    return is_word_of_cuda(name) ? name.substr(0, name.find_first_of("(<")) : "";
  return {};
}

}  // namespace

void lay_out_emulation(BuildFiles& files, const std::string& text, const std::string& scratch) {
  const fs::path folder = fs::path(scratch) / "emulator";
  const fs::path source = fs::path(scratch) / "rewritten";
  const fs::path emulator = built_file("emulator/runtime/libgemmlab_emulation.a");
  const fs::path fibers = built_file(GEMMLAB_FIBERS);
  const fs::path headers = fs::path(source_root()) / "emulator" / "include";
  for (const fs::path& needed : {emulator, fibers, headers}) {
    if (!fs::exists(needed))
      throw CannotBeJudged(fmt::format(
          "GPU code cannot be run here without a GPU: {} is not there; build gemmlab anew", needed.string()));
  }
  fs::create_directories(folder);
  fs::create_directories(source);
  fs::copy(headers, folder / "include", fs::copy_options::recursive);
  fs::copy_file(emulator, folder / "libemulator.a");
  fs::copy_file(fibers, folder / fibers.filename());
  files.emulated_headers = folder / "include";
  files.emulator = folder / "libemulator.a";
  files.fibers = folder / fibers.filename();
  files.emulated_source = source / fs::path(files.source).filename();
  files.emulated_object = scratch + "/emulated.o";
  files.emulated_library = scratch + "/submission_emulated.so";
  write_readable(files.emulated_source, text);
}

void clear_emulation(const BuildFiles& files) {
  std::error_code ignored;
  fs::remove_all(fs::path(files.emulator).parent_path(), ignored);
  fs::remove(files.emulated_object, ignored);
}

bool solve_is_a_kernel(const std::string& text) {
  const std::vector<emulation::Token> tokens = emulation::tokens_of(text);
  const auto word = [&](std::size_t at) {
    return at < tokens.size() ? text.substr(tokens[at].begin, tokens[at].end - tokens[at].begin)
                              : std::string();
  };
  bool in_head = false;  // of a kernel, before its body
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::string now = word(at);
    if (now == "__global__") in_head = true;
    if (now == "{" || now == ";") in_head = false;
    if (in_head && now == "solve" && word(at + 1) == "(") return true;
  }
  return false;
}

std::string refused_header(const CompilerMessage& message) {
  return between(message.text, "\"<", std::string(">") + kNoGpu);
}

std::string cannot_be_emulated(const std::vector<CompilerMessage>& messages, const std::string& rewritten) {
  for (const CompilerMessage& message : messages) {
    if (message.kind != "error") continue;
    std::string what;
    if (const std::string header = refused_header(message); !header.empty()) {
      what = fmt::format("<{}>", header);
    } else if (message.text.find(kRefusal) != std::string::npos) {
      what = between(line_of(rewritten, message.line), kRefusal + "(\"", "\"");
      if (what.empty()) what = between(message.text, kRefusal + "(\\\"", "\\\"");
      if (what.empty()) what = "this";
    } else {
      what = unknown_word(message, line_of(rewritten, message.line));
    }
    if (what.empty()) continue;
    return message.line > 0 ? fmt::format("line {}: {}{}", message.line, what, kNoGpu) : what + kNoGpu;
  }
  return {};
}

void put_in_cuda_words(std::vector<CompilerMessage>& messages) {
  for (CompilerMessage& message : messages) {
    std::string& text = message.text;
    if (text.find("no matching function for call to '") != std::string::npos &&
        text.find("gemmlab::emulation::Configuration") != std::string::npos)
      text = "between <<< and >>> stand the grid, the block, bytes of shared memory and a stream";
    replace_all(text, "gemmlab::emulation::", "");
  }
}

}  // namespace gemmlab::submissions
