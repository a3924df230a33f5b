#include "submissions/build/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "submissions/build/emulate.h"
#include "submissions/build/files.h"
#include "submissions/build/headers.h"
#include "submissions/build/messages.h"

namespace gemmlab::submissions {
namespace {

constexpr std::uintmax_t kLargestDependencies = 16 << 20;
constexpr const char* kSignatureText = "solve has another signature than the one asked for";

}  // namespace

void name_signature_conflicts(std::vector<CompilerMessage>& messages) {
  std::vector<CompilerMessage> kept;
  for (CompilerMessage& message : messages) {
    const bool gcc = message.text.find("conflicting C language linkage") != std::string::npos &&
                     message.text.find("solve(") != std::string::npos;
    const bool nvcc = message.text.find("\"gemmlab_expected::solve\" has \"C\" linkage") != std::string::npos;
    if (gcc || nvcc) {
      message.kind = "error";
      message.text = kSignatureText;
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const CompilerMessage& other) {
        return other.text == message.text && other.line == message.line;
      });
      if (known) continue;
    }
    kept.push_back(std::move(message));
  }
  messages = std::move(kept);
}

std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line.substr(0, 300);
  }
  return last;
}

void refuse(Build& result, const std::string& reason, const std::string& hint) {
  result.ok = false;
  result.reason = reason;
  result.hint = hint;
}

bool refuse_by_message(Build& result, const std::string& otherwise, const std::string& wanted) {
  if (const CompilerMessage* error = first_error(result.messages)) {
    const std::string text = error->text;
    const std::string hint =
        text == kSignatureText ? fmt::format("write {}, with just these types", wanted) : hint_for(text);
    refuse(result, error->line > 0 ? fmt::format("line {}: {}", error->line, text) : text, hint);
    return true;
  }
  if (otherwise.empty()) return false;
  refuse(result, otherwise, hint_for(otherwise));
  return true;
}

bool refuse_foreign_files(Build& result, const BuildFiles& files, const std::vector<std::string>& folders,
                          const std::string& scratch) {
  for (const std::string& list : {files.dependencies, files.assembled}) {
    const std::vector<std::string> read = parse_dependencies(read_regular(list, kLargestDependencies));
    const std::string foreign = foreign_file(read, folders, scratch);
    if (foreign.empty()) continue;
    refuse(
        result, fmt::format("it includes {}, which lies outside the compiler's own folders", foreign),
        "hand in everything in one file; only headers of the C++ library and the compiler may be included");
    return true;
  }
  return false;
}

bool refuse_headers(Build& result, const std::vector<CompilerMessage>& messages, const Rule& rule,
                    const BuildFiles& files, const std::string& scratch) {
  std::vector<std::string> included =
      parse_dependencies(read_regular(files.dependencies, kLargestDependencies));
  for (std::string& file : included) {  // the emulator's own stand in the place of CUDA's
    if (!files.emulated_headers.empty() && file.rfind(files.emulated_headers + "/", 0) == 0)
      file.erase(0, files.emulated_headers.size() + 1);
  }
  std::string header = forbidden_header(included, rule.forbidden_headers, scratch);
  for (const CompilerMessage& message : messages) {
    if (header.empty())
      header =
          forbidden_header({header_not_found(message), refused_header(message)}, rule.forbidden_headers, "");
  }
  if (header.empty()) return false;
  refuse(result, fmt::format("it includes {}, which the rule forbids", header),
         "write the multiplication yourself, without a library that does it");
  return true;
}

}  // namespace gemmlab::submissions
