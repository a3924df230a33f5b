#include "submissions/build/messages.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "submissions/build/kernels.h"
#include "submissions/plain_text.h"

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kLongestLine = 2000;
constexpr std::size_t kLongestText = 400;

struct Place {
  int line = 0;
  int column = 0;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool begins(const std::string& text, const std::string& part) {
  return text.compare(0, part.size(), part) == 0;
}

/// Reads digits from `at` on; 0 where there are none.
int number(const std::string& text, std::size_t& at) {
  int value = 0;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && value < 100000000; ++at) {
    value = 10 * value + (text[at] - '0');
  }
  return value;
}

/// "x.cpp:12:3", "x.cpp:12", "x.cu(12)" of the student's file; nothing for other files.
std::optional<Place> place_of(const std::string& text, const std::string& name) {
  if (!begins(text, name) || text.size() == name.size()) return {};
  std::size_t at = name.size();
  if (text[at] != ':' && text[at] != '(') return {};
  Place place;
  place.line = number(text, ++at);
  if (at < text.size() && text[at] == ':') place.column = number(text, ++at);
  return place;
}

/// The file's name without folder of "/usr/include/x.h:12:3", "/usr/include/x.h(12)"; empty for a program's
/// name.
std::string other_file(const std::string& prefix) {
  const std::size_t slash = prefix.rfind('/');
  const std::string last = slash == std::string::npos ? prefix : prefix.substr(slash + 1);
  const std::size_t end = last.find_first_of(":(");
  return end == std::string::npos ? "" : last.substr(0, end);
}

/// A line taken apart: what stands before the kind, the kind, and what stands behind it.
struct Parts {
  std::string prefix;
  std::string kind;
  std::string text;
};

std::optional<Parts> take_apart(const std::string& line) {
  static const std::pair<const char*, const char*> markers[] = {{": error: #error directive: ", "error"},
                                                                {": error: #error ", "error"},
                                                                {": error: ", "error"},
                                                                {": fatal error: ", "error"},
                                                                {": Error: ", "error"},
                                                                {": internal compiler error: ", "error"},
                                                                {": catastrophic error: ", "error"},
                                                                {": error #", "error"},
                                                                {": warning: ", "warning"},
                                                                {": Warning: ", "warning"},
                                                                {": warning #", "warning"},
                                                                {"ptxas error   : ", "error"},
                                                                {"ptxas fatal   : ", "error"},
                                                                {"ptxas warning : ", "warning"},
                                                                {"nvlink error   : ", "error"},
                                                                {"nvlink fatal   : ", "error"},
                                                                {"nvlink warning : ", "warning"},
                                                                {"nvcc fatal   : ", "error"},
                                                                {"nvcc warning : ", "warning"},
                                                                {"nvcc error   : ", "error"}};
  std::optional<Parts> parts;
  std::size_t first = std::string::npos;
  for (const auto& [marker, kind] : markers) {
    const std::size_t at = line.find(marker);
    if (at >= first) continue;  // npos included
    first = at;
    std::string text = line.substr(at + std::string(marker).size());
    // "warning #177-D: variable ..."
    const std::size_t end = text.find("-D: ");
    if (std::string(marker).back() == '#' && end != std::string::npos) text.erase(0, end + 4);
    parts = Parts{line.substr(0, at), kind, text};
  }
  return parts;
}

/// Names as their writer knows them: "'_Z5otherf'" is "'other'". And a limit that the judge sets, which the
/// compiler's message does not explain.
std::string readable(const std::string& text) {
  if (contains(text, "File size limit exceeded") || contains(text, "File too large")) {
    return "the library, or a file on the way to it, is larger than allowed";
  }
  const std::size_t begin = text.find("'_Z");
  const std::size_t end = begin == std::string::npos ? begin : text.find('\'', begin + 1);
  if (end == std::string::npos) return text;
  return text.substr(0, begin + 1) + kernel_name(text.substr(begin + 1, end - begin - 1)) + text.substr(end);
}

class Parser {
 public:
  explicit Parser(const std::string& name) : name_(name) {}

  void take(const std::string& line) {
    if (remembered(line)) return;
    if (contains(line, "out of memory allocating") || contains(line, "virtual memory exhausted") ||
        contains(line, "memory exhausted") || contains(line, "std::bad_alloc")) {
      add({"error", 0, 0, "the compiler ran out of memory"});
      return;
    }
    if (linker(line)) return;
    // Lines of the student's that nvcc repeats are indented.
    if (line.empty() || line[0] == ' ' || line[0] == '\t' || begins(line, "collect2: ")) return;
    const auto parts = take_apart(line);
    if (!parts) return;
    CompilerMessage message{parts->kind, 0, 0, parts->text};
    const auto place = place_of(parts->prefix, name_);
    if (place) {
      message.line = place->line;
      message.column = place->column;
    } else if (const std::string file = other_file(parts->prefix); !file.empty()) {
      message.line = required_ != 0 ? required_ : included_;
      message.text += " (in " + file + ")";
    }
    required_ = 0;
    add(std::move(message));
  }

  std::vector<CompilerMessage> messages() && { return std::move(messages_); }

 private:
  /// Lines that say what a message belongs to.
  bool remembered(const std::string& line) {
    if (contains(line, "note: due to different exception specifications")) {
      // Our own declaration of solve differs from one with noexcept by nothing that matters.
      if (!messages_.empty() && contains(messages_.back().text, "conflicting C language linkage"))
        messages_.pop_back();
      return true;
    }
    if (contains(line, "   required from ")) {
      if (const auto place = place_of(line, name_)) required_ = place->line;
      return true;
    }
    for (const char* lead : {"In file included from ", "                 from "}) {
      if (!begins(line, lead)) continue;
      const auto place = place_of(line.substr(std::string(lead).size()), name_);
      included_ = place ? place->line : 0;
      return true;
    }
    return false;
  }

  /// What ld says; its path stands before some lines and not before others.
  bool linker(const std::string& line) {
    const std::size_t found = line.find("ld: ");
    const bool named = found != std::string::npos && (found == 0 || line[found - 1] == '/');
    const std::string said = named ? line.substr(found + 4) : line;
    const std::size_t undefined = said.find("undefined reference to ");
    if (undefined != std::string::npos && said[0] != ' ' && !contains(said, ": error: ")) {
      const auto place = place_of(said, name_);
      add({"error", place ? place->line : 0, 0, said.substr(undefined)});
      return true;
    }
    if (!named || contains(said, "in function")) return named;
    if (begins(said, "warning: ")) {
      add({"warning", 0, 0, said.substr(9)});
    } else {
      add({"error", 0, 0, said});
    }
    return true;
  }

  void add(CompilerMessage message) {
    message.text = readable(message.text);
    if (message.text.size() > kLongestText) message.text = message.text.substr(0, kLongestText) + " ...";
    const bool known = std::any_of(messages_.begin(), messages_.end(), [&](const CompilerMessage& other) {
      return other.kind == message.kind && other.line == message.line && other.text == message.text;
    });
    if (!known && messages_.size() < kMostMessages) messages_.push_back(std::move(message));
  }

  const std::string& name_;
  int required_ = 0;  ///< the student's line that asked for a template
  int included_ = 0;  ///< the student's #include
  std::vector<CompilerMessage> messages_;
};

}  // namespace

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string without_scratch(const std::string& output, const std::string& scratch, const std::string& source,
                            const std::string& name) {
  std::string text = output;
  replace_all(text, source, name);
  // Our own files there, and what the compiler keeps between its steps.
  if (!scratch.empty()) replace_all(text, scratch + "/", "");
  for (const char* quote : {"\u2018", "\u2019", "`"}) replace_all(text, quote, "'");
  return plain_text(text);
}

std::vector<CompilerMessage> parse_messages(const std::string& output, const std::string& name) {
  Parser parser(name);
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) parser.take(line.substr(0, kLongestLine));
  return std::move(parser).messages();
}

const CompilerMessage* first_error(const std::vector<CompilerMessage>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [](const CompilerMessage& message) { return message.kind == "error"; });
  return found == messages.end() ? nullptr : &*found;
}

std::string header_not_found(const CompilerMessage& message) {
  const std::size_t end = message.text.find(": No such file or directory");
  return message.kind != "error" || end == std::string::npos ? "" : message.text.substr(0, end);
}

}  // namespace gemmlab::submissions
