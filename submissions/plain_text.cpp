#include "submissions/plain_text.h"

namespace gemmlab::submissions {

std::string plain_text(std::string text) {
  constexpr unsigned char kDelete = 0x7f;
  constexpr unsigned char kFirstOfTwo = 0xc2;  // in UTF-8
  constexpr unsigned char kLastControl = 0x9f;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool two = byte == kFirstOfTwo && next >= 0x80 && next <= kLastControl;
    const bool one = (byte < ' ' && byte != '\n' && byte != '\t') || byte == kDelete;
    plain += one || two ? '?' : text[i];
    if (two) ++i;
  }
  return plain;
}

}  // namespace gemmlab::submissions
