#include "submissions/build/kernels.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <sstream>

namespace gemmlab::submissions {
namespace {

/// The whole number that stands before `unit` in "..., 4096 bytes smem, ..."; 0 where there is none.
std::int64_t number_before(const std::string& line, const std::string& unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) && end - begin < 18) --begin;
  return begin == end ? 0 : std::stoll(line.substr(begin, end - begin));
}

/// What stands between the first pair of quotes after `lead`; empty where `lead` is not there.
std::string quoted_after(const std::string& line, const std::string& lead) {
  const std::size_t found = line.find(lead);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + lead.size();
  return line.substr(begin, line.find('\'', begin) - begin);
}

/// Without the list of parameters at the end. Parentheses may stand elsewhere: "(anonymous namespace)::f".
std::string without_arguments(const std::string& name) {
  if (name.empty() || name.back() != ')') return name;
  int depth = 0;
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] == ')') ++depth;
    if (name[at] == '(' && --depth == 0) return name.substr(0, at);
  }
  return name;
}

}  // namespace

std::string kernel_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || demangled == nullptr) return symbol;
  std::string name = without_arguments(demangled.get());
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);  // templates carry what they return
  const std::string hidden = "(anonymous namespace)::";
  for (std::size_t at = name.find(hidden); at != std::string::npos; at = name.find(hidden)) {
    name.erase(at, hidden.size());
  }
  return name;
}

std::vector<KernelReport> parse_kernels(const std::string& output) {
  std::vector<KernelReport> kernels;
  std::string entry;      // the symbol of the kernel that is being told of
  bool of_entry = false;  // or is it a function that the kernel calls?
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const bool info = line.rfind("ptxas info", 0) == 0;
    if (const std::string symbol = info ? quoted_after(line, "Compiling entry function '") : "";
        !symbol.empty()) {
      entry = symbol;
      kernels.push_back({});
      kernels.back().name = kernel_name(symbol);
      of_entry = true;
    } else if (const std::size_t at = line.find("Function properties for ");
               info && at != std::string::npos) {
      of_entry = line.substr(at + 24) == entry;
    } else if (kernels.empty()) {
      continue;
    } else if (of_entry && line.find("bytes stack frame") != std::string::npos) {
      kernels.back().stack_bytes = number_before(line, " bytes stack frame");
      kernels.back().spill_bytes =
          number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    } else if (info && line.find(": Used ") != std::string::npos) {
      kernels.back().registers = static_cast<int>(number_before(line, " registers"));
      kernels.back().static_shared_bytes = number_before(line, " bytes smem");
    }
  }
  return kernels;
}

}  // namespace gemmlab::submissions
