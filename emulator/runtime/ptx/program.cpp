#include "emulator/runtime/ptx/program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "emulator/include/gemmlab_ptx_table.h"

namespace gemmlab::emulation::ptx {
namespace {

const std::map<std::string, Type>& types() {
  static const std::map<std::string, Type> all = {
      {"pred", {'p', 1, 1}},  {"b8", {'b', 8, 1}},      {"b16", {'b', 16, 1}}, {"b32", {'b', 32, 1}},
      {"b64", {'b', 64, 1}},  {"b128", {'b', 128, 1}},  {"u8", {'u', 8, 1}},   {"u16", {'u', 16, 1}},
      {"u32", {'u', 32, 1}},  {"u64", {'u', 64, 1}},    {"s8", {'s', 8, 1}},   {"s16", {'s', 16, 1}},
      {"s32", {'s', 32, 1}},  {"s64", {'s', 64, 1}},    {"f16", {'f', 16, 1}}, {"f16x2", {'f', 16, 2}},
      {"bf16", {'g', 16, 1}}, {"bf16x2", {'g', 16, 2}}, {"f32", {'f', 32, 1}}, {"f64", {'f', 64, 1}},
      {"tf32", {'t', 32, 1}}, {"e4m3", {'4', 8, 1}},    {"e5m2", {'5', 8, 1}}, {"e4m3x2", {'4', 8, 2}},
      {"e5m2x2", {'5', 8, 2}}};
  return all;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

/// At commas that stand in no bracket. "p|q" are two.
std::vector<std::string> split(const std::string& text, bool& two) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' || c == '[' || c == '(' ? 1 : c == '}' || c == ']' || c == ')' ? -1 : 0;
    if (depth == 0 && (c == ',' || c == '|')) {
      two |= c == '|';
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

class Reader {
 public:
  Reader(const char* text, int operands) : operands_(operands) {
    program_.registers = operands;
    clean(text);
  }

  Program read() {
    std::size_t at = 0;
    while (at < text_.size() && program_.fault.empty()) at = statement(at);
    for (auto& [instruction, name] : jumps_) {
      const auto label = labels_.find(name);
      if (label == labels_.end()) fail("label " + name);
      program_.instructions[instruction].operands[0].index = label == labels_.end() ? 0 : label->second;
    }
    return std::move(program_);
  }

 private:
  /// Without comments, and `%%` as `%`.
  void clean(const char* text) {
    for (const char* at = text; *at != '\0'; ++at) {
      if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
        const bool line = at[1] == '/';
        const char* end = std::strstr(at + 2, line ? "\n" : "*/");
        if (end == nullptr) return;
        at = line ? end : end + 1;
        text_ += ' ';
        continue;
      }
      if (at[0] == '%' && at[1] == '%') ++at;
      text_ += *at;
    }
  }

  void fail(const std::string& what) {
    if (program_.fault.empty()) program_.fault = what;
  }

  /// Reads what begins at `at`, and says where the next one does.
  std::size_t statement(std::size_t at) {
    at = text_.find_first_not_of(" \t\r\n;{}", at);
    if (at == std::string::npos) return text_.size();
    const std::size_t end = std::min(text_.find(';', at), text_.size());
    const std::size_t colon = text_.find_first_of(": \t\n;", at);
    if (colon < end && text_[colon] == ':' && text_[colon + 1] != ':') {
      labels_[text_.substr(at, colon - at)] = static_cast<int>(program_.instructions.size());
      return colon + 1;
    }
    const std::string all = trimmed(text_.substr(at, end - at));
    if (all.compare(0, 4, ".reg") == 0) {
      declare(all.substr(4));
    } else if (all.compare(0, 7, ".pragma") != 0) {
      instruction(all);
    }
    return end + 1;
  }

  void declare(const std::string& text) {
    const std::string rest = trimmed(text);
    const std::size_t names = rest.find_first_of(" \t\n");
    if (names == std::string::npos) return fail(".reg" + text);
    bool two = false;
    for (const std::string& name : split(rest.substr(names), two)) {
      const std::size_t many = name.find('<');
      if (many == std::string::npos) {
        names_[name] = program_.registers++;
        continue;
      }
      const int count = std::atoi(name.c_str() + many + 1);
      for (int i = 0; i < count; ++i) names_[name.substr(0, many) + std::to_string(i)] = program_.registers++;
    }
  }

  void instruction(std::string text) {
    Instruction made;
    if (text[0] == '@') {
      std::size_t at = 1;
      while (text[at] == '!' || text[at] == ' ') made.negated |= text[at++] == '!';
      const std::size_t end = text.find_first_of(" \t\n", at);
      const Operand predicate = operand(text.substr(at, end - at));
      made.predicate = predicate.index;
      text = end == std::string::npos ? std::string() : trimmed(text.substr(end));
    }
    const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    made.text = text.substr(0, end);
    const std::size_t which = ptx_instruction(made.text.c_str(), made.text.c_str() + made.text.size());
    if (which == kPtxCount) return fail(made.text);
    made.name = kPtxInstructions[which].name;
    made.run = handler_of(made.name);
    if (made.run == nullptr) return fail(made.text);
    words(made, made.text.substr(made.name.size()));
    const std::vector<std::string> given = split(text.substr(end), made.two_results);
    for (const std::string& each : given) {
      if (made.name == "bra") {
        jumps_.emplace_back(program_.instructions.size(), each);
        made.operands.emplace_back();
        made.operands.back().kind = Operand::kLabel;
      } else {
        made.operands.push_back(operand(each));
      }
    }
    program_.instructions.push_back(std::move(made));
  }

  static void words(Instruction& made, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('.', at + 1), text.size());
      made.words.push_back(text.substr(at + 1, end - at - 1));
      const std::string& word = made.words.back();
      if (const auto type = types().find(word); type != types().end()) made.types.push_back(type->second);
      if (word == "rz" || word == "rm" || word == "rp" || word == "rna")
        made.rounding = word == "rna" ? 'a' : word[1];
      if (word.size() == 3 && word[0] == 'r' && word[2] == 'i')
        made.rounding = static_cast<char>(word[1] - 'a' + 'A');
      made.flush |= word == "ftz";
      made.saturate |= word == "sat" || word == "satfinite";
      made.wide |= word == "wide";
      made.high |= word == "hi";
      made.shared |= word.compare(0, 6, "shared") == 0;
      made.remote |= word == "shared::cluster";
      if (word == "v2" || word == "v4" || word == "v8") made.vector = word[1] - '0';
      at = end;
    }
  }

  Operand operand(std::string text) {
    Operand made;
    if (text.empty() || text == "_") return made;
    if (text[0] == '!') {
      made = operand(trimmed(text.substr(1)));
      made.negated = true;
      return made;
    }
    if (text[0] == '{' || text[0] == '[') {
      made.kind = text[0] == '{' ? Operand::kGroup : Operand::kMemory;
      bool two = false;
      for (std::string each : split(text.substr(1, text.size() - 2), two)) {
        const std::size_t plus =
            made.kind == Operand::kMemory ? each.find_first_of("+-", 1) : std::string::npos;
        if (plus != std::string::npos && each[0] != '{') {
          std::string offset = trimmed(each.substr(plus + 1));
          const std::uint64_t more = operand(offset).bits;
          made.bits += each[plus] == '-' ? -more : more;
          each = trimmed(each.substr(0, plus));
        }
        made.parts.push_back(operand(each));
      }
      return made;
    }
    const bool digit = (text[0] >= '0' && text[0] <= '9') || text[0] == '-';
    if (text[0] == '%' && text[1] >= '0' && text[1] <= '9') {
      made.kind = Operand::kRegister;
      made.index = std::atoi(text.c_str() + 1);
      if (made.index >= operands_) fail(text);
      return made;
    }
    if (digit) return number(text);
    if (const auto found = names_.find(text); found != names_.end()) {
      made.kind = Operand::kRegister;
      made.index = found->second;
      return made;
    }
    made.kind = Operand::kSpecial;
    made.index = special_register(text);
    if (made.index < 0) fail(text);
    return made;
  }

  Operand number(const std::string& text) {
    Operand made;
    made.kind = Operand::kNumber;
    const bool negative = text[0] == '-';
    const std::string digits = negative ? text.substr(1) : text;
    const char form = digits.size() > 1 && digits[0] == '0' ? digits[1] : '\0';
    if (form == 'f' || form == 'F' || form == 'd' || form == 'D') {
      made.bits = std::strtoull(digits.c_str() + 2, nullptr, 16);
      return made;
    }
    const bool hexadecimal = form == 'x' || form == 'X';
    if (!hexadecimal && digits.find_first_of(".eE") != std::string::npos) {
      const double value = std::strtod(text.c_str(), nullptr);
      made.floating = true;
      std::memcpy(&made.bits, &value, sizeof value);
      return made;
    }
    const bool binary = form == 'b' || form == 'B';
    made.bits =
        binary ? std::strtoull(digits.c_str() + 2, nullptr, 2) : std::strtoull(digits.c_str(), nullptr, 0);
    if (negative) made.bits = -made.bits;
    return made;
  }

  Program program_;
  std::string text_;
  int operands_;
  std::map<std::string, int> names_;
  std::map<std::string, int> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
};

}  // namespace

bool Instruction::has(const char* word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Program read_program(const char* text, int operands) {
  return Reader(text, operands).read();
}

Handler handler_of(const std::string& name) {
  for (const Entry* all :
       {kValueHandlers, kMemoryHandlers, kWarpHandlers, kMatrixHandlers, kBarrierHandlers, kBulkHandlers}) {
    for (const Entry* each = all; each->name != nullptr; ++each) {
      if (name == each->name) return each->run;
    }
  }
  return nullptr;
}

}  // namespace gemmlab::emulation::ptx
