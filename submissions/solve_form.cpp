#include "submissions/solve_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace gemmlab::submissions {
namespace {

bool in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Each N and K that stands by itself becomes the other.
void exchange(std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != 'N' && text[at] != 'K') continue;
    const bool alone =
        (at == 0 || !in_name(text[at - 1])) && (at + 1 == text.size() || !in_name(text[at + 1]));
    if (alone) text[at] = text[at] == 'N' ? 'K' : 'N';
  }
}

}  // namespace

std::string element_name(ElementType type, bool cuda) {
  switch (type) {
    case ElementType::kFloat16:
      return cuda ? "half" : "_Float16";
    case ElementType::kBfloat16:
      return cuda ? "__nv_bfloat16" : "std::uint16_t";
    case ElementType::kInt8:
      return "std::int8_t";
    case ElementType::kInt32:
      return "std::int32_t";
    default:
      return "float";
  }
}

std::string signature(const SolveForm& form, bool cuda) {
  const std::string in = element_name(form.types.type, cuda), out = element_name(form.types.result, cuda);
  return fmt::format("extern \"C\" void solve(const {0}* A, const {0}* B, {1}* C, int M, int N, int K{2})",
                     in, out, form.alpha_beta ? ", float alpha, float beta" : "");
}

std::string headers_of_signature(const SolveForm& form, bool cuda) {
  if (form.types.plain()) return "";
  std::string headers = "#include <cstdint>\n";
  if (!cuda && form.types.type == ElementType::kFloat16)
    headers += fmt::format("#ifndef __FLT16_MANT_DIG__\n#error {}\n#endif\n", kNoFloat16);
  if (cuda && form.types.type == ElementType::kFloat16) headers += "#include <cuda_fp16.h>\n";
  if (cuda && form.types.type == ElementType::kBfloat16) headers += "#include <cuda_bf16.h>\n";
  return headers;
}

std::string in_order(const std::string& text, bool inner_k) {
  std::string made;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = std::min(text.find("{N:", at), text.find("{K:", at));
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    std::string part = text.substr(at, close == std::string::npos ? close : open - at);
    if (inner_k) {
      exchange(part);
      static const std::regex exchanged("M = ([0-9]+), K = ([0-9]+), N = ([0-9]+)");
      part = std::regex_replace(part, exchanged, "M = $1, N = $3, K = $2");
      static const std::regex listed("M, K(,| and| or) N");
      part = std::regex_replace(part, listed, "M, N$1 K");
    }
    made += part;
    if (close == std::string::npos) return made;
    constexpr std::size_t kTag = 3;
    if ((text[open + 1] == 'K') == inner_k) made += text.substr(open + kTag, close - open - kTag);
    at = close + 1;
  }
}

}  // namespace gemmlab::submissions
