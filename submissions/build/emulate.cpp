#include "submissions/build/emulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

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

/// Does the name look like one of CUDA's own? One that is misspelt does, too: without nvcc nobody can tell.
bool is_cuda_word(const std::string& name) {
  static const std::vector<std::string> kBegin = {
      "cuda", "__",    "nvcuda", "cub",   "thrust", "cooperative_groups",
      "wmma", "tex1D", "tex2D",  "tex3D", "surf",   "atomic"};
  const bool driver = name.size() > 2 && name.rfind("cu", 0) == 0 && name[2] >= 'A' && name[2] <= 'Z';
  return driver || std::any_of(kBegin.begin(), kBegin.end(),
                               [&](const std::string& begin) { return name.rfind(begin, 0) == 0; });
}

/// Of CUDA or its libraries, but not of the emulator's headers.
bool is_cuda_header(const std::string& name) {
  static const std::vector<std::string> kBegin = {"cub/", "thrust/", "cuda",   "cooperative_groups",
                                                  "nv",   "mma",     "curand", "cu"};
  return std::any_of(kBegin.begin(), kBegin.end(),
                     [&](const std::string& begin) { return name.rfind(begin, 0) == 0; });
}

/// The word of CUDA's that g++ does not know; empty where the error is about something else.
std::string unknown_word(const CompilerMessage& message) {
  if (const std::string header = header_not_found(message); is_cuda_header(header))
    return fmt::format("<{}>", header);
  for (const char* end : {"' was not declared", "' has not been declared", "' does not name a type",
                          "' in namespace", "' is not a member of"}) {
    const std::string name = between(message.text, "'", end);
    if (!name.empty() && name.find('\'') == std::string::npos && is_cuda_word(name)) return name;
  }
  for (const char* of :
       {"is not a member of 'cooperative_groups", "is not a member of 'cuda", "is not a member of 'nvcuda"}) {
    if (message.text.find(of) != std::string::npos) return between(message.text, "'", "'");
  }
  return {};
}

}  // namespace

void lay_out_emulation(BuildFiles& files, const std::string& text, const std::string& scratch) {
  const fs::path folder = fs::path(scratch) / "emulator";
  const fs::path source = fs::path(scratch) / "rewritten";
  if (!fs::exists(GEMMLAB_EMULATOR) || !fs::exists(GEMMLAB_EMULATOR_HEADERS))
    throw CannotBeJudged(
        fmt::format("GPU code cannot be run here without a GPU: {} is not there; build gemmlab anew",
                    fs::exists(GEMMLAB_EMULATOR) ? GEMMLAB_EMULATOR_HEADERS : GEMMLAB_EMULATOR));
  fs::create_directories(folder);
  fs::create_directories(source);
  fs::copy(GEMMLAB_EMULATOR_HEADERS, folder / "include", fs::copy_options::recursive);
  fs::copy_file(GEMMLAB_EMULATOR, folder / "libemulator.a");
  files.emulated_headers = folder / "include";
  files.emulator = folder / "libemulator.a";
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
      if (what.empty()) what = "this";
    }
    if (what.empty()) what = unknown_word(message);
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
