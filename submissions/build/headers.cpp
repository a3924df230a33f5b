#include "submissions/build/headers.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

/// Where the path inside the include folders begins: after ".../include/", or after the root where a header
/// lies elsewhere, since an absolute path may be included, too.
std::size_t after_include_folder(const std::string& file) {
  const std::string folder = "/include/";
  const std::size_t found = file.find(folder);
  return found == std::string::npos ? (file.rfind('/', 0) == 0 ? 1 : 0) : found + folder.size();
}

std::string match(const std::string& file, const std::vector<std::string>& prefixes) {
  for (std::size_t at = after_include_folder(file); at < file.size();) {
    for (const std::string& prefix : prefixes) {
      if (!prefix.empty() && file.compare(at, prefix.size(), prefix) == 0) return file.substr(at);
    }
    const std::size_t slash = file.find('/', at);
    if (slash == std::string::npos) break;
    at = slash + 1;
  }
  return {};
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto [left, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return left == folder.end();
}

}  // namespace

std::vector<std::string> parse_dependencies(const std::string& makefile) {
  std::vector<std::string> files;
  std::size_t at = makefile.find(": ");
  if (at == std::string::npos) return files;
  std::string file;
  for (++at; at <= makefile.size(); ++at) {
    const char c = at < makefile.size() ? makefile[at] : '\n';
    const char next = at + 1 < makefile.size() ? makefile[at + 1] : '\n';
    if (c == '\\' && (next == '\n' || next == '\r')) continue;  // the line goes on
    if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) || (c == '$' && next == '$')) {
      file += next;
      ++at;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      file += c;
    } else if (!file.empty()) {
      files.push_back(file);
      file.clear();
    }
  }
  return files;
}

std::string forbidden_header(const std::vector<std::string>& files, const std::vector<std::string>& prefixes,
                             const std::string& scratch) {
  for (const std::string& file : files) {
    if (!scratch.empty() && file.rfind(scratch + "/", 0) == 0) continue;
    const std::string found = match(file, prefixes);
    if (!found.empty()) return found;
  }
  return {};
}

std::string foreign_file(const std::vector<std::string>& files, const std::vector<std::string>& folders,
                         const std::string& from) {
  for (const std::string& file : files) {
    const fs::path named = (fs::path(from) / file).lexically_normal();
    std::error_code unreadable;
    const fs::path real = fs::weakly_canonical(named, unreadable);
    for (const fs::path& place : {named, unreadable ? named : real}) {
      const bool known = std::any_of(folders.begin(), folders.end(),
                                     [&](const std::string& folder) { return lies_in(place, folder); });
      if (!known) return named.string();
    }
  }
  return {};
}

}  // namespace gemmlab::submissions
