#include "submissions/build/nvcc_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "emulator/rewrite/tokens.h"

namespace gemmlab::submissions {
namespace {

using emulation::among;
using emulation::Code;
using emulation::kNone;

struct Function {
  std::string name;
  std::size_t parameters = 0, body = 0;  ///< the brackets that open
  bool kernel = false;
  bool device = false;
};

/// What stands at namespace scope.
struct Scope {
  std::vector<Function> functions;
  std::set<std::string, std::less<>> variables;  ///< of the host, and not constant
};

bool in_head(const Code& code, std::size_t begin, std::size_t end, std::string_view word) {
  for (std::size_t i = begin; i < end; ++i)
    if (code.is(i, word)) return true;
  return false;
}

/// A declaration without parameters, from `begin` to the sign that ends it or its first name.
void note_variable(const Code& code, std::size_t begin, std::size_t end, Scope& scope) {
  static constexpr std::array<std::string_view, 16> kOthers = {
      "namespace", "extern",  "__device__", "__constant__", "__managed__", "__shared__", "const", "constexpr",
      "using",     "typedef", "template",   "struct",       "class",       "enum",       "union", "friend"};
  std::size_t words = 0, name = kNone;
  for (std::size_t i = begin; i < end && !code.is(i, "=") && !code.is(i, "["); ++i) {
    if (code.is_word(i) && among(kOthers, code.text(i))) return;
    if (!code.is_word(i)) continue;
    ++words;
    name = i;
  }
  if (words >= 2) scope.variables.insert(std::string(code.text(name)));
}

Scope scope_of(const Code& code) {
  Scope scope;
  std::size_t begin = 0, name = kNone, parameters = kNone;
  const auto next = [&](std::size_t at) {
    begin = at;
    name = parameters = kNone;
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].macro != 0 || code[i].kind == emulation::TokenKind::kDirective) {
      if (i == begin) next(i + 1);
    } else if (code.is(i, ";") || code.is(i, "}")) {
      if (code.is(i, ";") && parameters == kNone) note_variable(code, begin, i, scope);
      next(i + 1);
    } else if (code.is(i, "(") && code.partner(i) != kNone) {
      const bool attribute = i > 0 && code.text(i - 1).substr(0, 2) == "__";
      if (i > begin && code.is_word(i - 1) && !attribute && !in_head(code, begin, i, "=")) {
        name = i - 1;
        parameters = i;
      }
      i = code.partner(i);
    } else if (code.is(i, "{")) {
      const bool scope_opens =
          in_head(code, begin, i, "namespace") || (code.is(begin, "extern") && i == begin + 2);
      if (scope_opens) {
        next(i + 1);
        continue;
      }
      if (code.partner(i) == kNone) break;
      const bool function = parameters != kNone && !in_head(code, begin, parameters, "struct");
      if (function) {
        const bool kernel = in_head(code, begin, parameters, "__global__");
        const bool device = kernel || in_head(code, begin, parameters, "__device__") ||
                            in_head(code, begin, parameters, "constexpr");
        scope.functions.push_back({std::string(code.text(name)), parameters, i, kernel, device});
      }
      i = code.partner(i);
      if (function) next(i + 1);
    }
  }
  return scope;
}

/// Has the function a variable or parameter of its own of that name?
bool hidden(const Code& code, const Function& in, std::string_view name) {
  for (std::size_t i = in.parameters; i < code.partner(in.body); ++i) {
    if (!code.is(i, name)) continue;
    const bool declared = code.is_word(i - 1) || code.is(i - 1, "*") || code.is(i - 1, "&") ||
                          code.is(i - 1, ">") || code.is(i - 1, ",");
    if (declared && !code.is(i - 1, "return")) return true;
  }
  return false;
}

int line_of(const Code& code, std::size_t token) {
  const auto begin = code.source().begin();
  return 1 +
         static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(code[token].begin), '\n'));
}

/// Of the constraint of an operand; empty where nvcc takes it.
std::string constraint_error(std::string_view constraint, bool output) {
  const bool written = !constraint.empty() && (constraint.front() == '=' || constraint.front() == '+');
  if (written) constraint.remove_prefix(1);
  if (written && !constraint.empty() && constraint.front() == '&') constraint.remove_prefix(1);
  if (output && !written) return "an asm output operand must have one of the '=' or '+' modifiers";
  if (!output && written) return "an asm input operand may not have the '=' or '+' modifiers";
  if (constraint.size() > 1)
    return "an asm operand may specify only one constraint letter in a __device__/__global__ function";
  if (constraint.empty() || std::string_view("hrlqfdnC").find(constraint) != std::string_view::npos)
    return {};
  return constraint.front() >= '0' && constraint.front() <= '9'
             ? fmt::format("nvcc takes no asm operand that is tied to another, as by the constraint \"{}\"",
                           constraint)
             : fmt::format(
                   "asm constraint letter '{}' is not allowed inside a __device__/__global__ function",
                   constraint);
}

/// In the asm statement whose bracket opens here: `(text : outputs : inputs : clobbers)`.
std::optional<NvccError> asm_error(const Code& code, std::size_t open) {
  int section = 0;
  for (std::size_t i = open + 1; i < code.partner(open); ++i) {
    if (code.is(i, ":") || code.is(i, "::")) section += code.is(i, ":") ? 1 : 2;
    if (code.partner(i) != kNone && code.partner(i) > i) i = code.partner(i);
    if (code[i].kind != emulation::TokenKind::kText) continue;
    const std::string_view literal = code.text(i);
    std::string text;
    if (section == 0 && literal.find("%[") != std::string_view::npos)
      text = "nvcc takes operands of asm by number alone, %0 and %1, and not by name, %[name]";
    else if ((section == 1 || section == 2) && literal.size() > 2 && code.is(i + 1, "("))
      text = constraint_error(literal.substr(1, literal.size() - 2), section == 1);
    else if (section == 3 && literal == "\"cc\"")
      text = "The cc clobber constraint is not supported in device code";
    if (!text.empty()) return NvccError{line_of(code, i), text};
  }
  return {};
}

/// The bracket of the asm statement that begins here, or kNone.
std::size_t asm_open(const Code& code, std::size_t at) {
  static constexpr std::array<std::string_view, 3> kNames = {"asm", "__asm__", "__asm"};
  static constexpr std::array<std::string_view, 2> kQualifiers = {"volatile", "__volatile__"};
  if (!code.is_word(at) || !among(kNames, code.text(at))) return kNone;
  for (++at; code.is_word(at) && among(kQualifiers, code.text(at));) ++at;
  return code.is(at, "(") ? at : kNone;
}

}  // namespace

std::optional<NvccError> nvcc_error(const std::string& source) {
  const Code code(source);
  const Scope scope = scope_of(code);
  std::map<std::string, bool, std::less<>> device;  // by name: is one of them for the device?
  for (const Function& one : scope.functions) device[one.name] = device[one.name] || one.device;
  for (const Function& in : scope.functions) {
    if (!in.device || !(in.kernel || in_head(code, 0, in.body, "__device__"))) continue;
    for (std::size_t i = in.body; i < code.partner(in.body); ++i) {
      if (const std::size_t open = asm_open(code, i); open != kNone && code.partner(open) != kNone) {
        if (auto error = asm_error(code, open)) return error;
      }
      if (!code.is_word(i) || code.is(i - 1, ".") || code.is(i - 1, "->") || code.is(i - 1, "::")) continue;
      const std::string_view name = code.text(i);
      const bool called =
          code.is(i + 1, "(") || (code.is(i + 1, "<") && code.end_of_arguments(i + 1) != kNone &&
                                  code.is(code.end_of_arguments(i + 1) + 1, "("));
      const auto known = device.find(name);
      if (called && known != device.end() && !known->second && !hidden(code, in, name))
        return NvccError{
            line_of(code, i),
            fmt::format("calling a __host__ function(\"{}\") from a {} function(\"{}\") is not allowed", name,
                        in.kernel ? "__global__" : "__device__", in.name)};
      if (scope.variables.count(name) > 0 && !called && !hidden(code, in, name))
        return NvccError{line_of(code, i),
                         fmt::format("identifier \"{}\" is undefined in device code", name)};
    }
  }
  return {};
}

}  // namespace gemmlab::submissions
