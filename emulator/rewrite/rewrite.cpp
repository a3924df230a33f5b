#include "emulator/rewrite/rewrite.h"

#include <algorithm>

#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

std::string Edits::applied_to(const std::string& source) const {
  std::vector<Edit> sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Edit& one, const Edit& other) { return one.begin < other.begin; });
  std::string text;
  std::size_t done = 0;
  for (const Edit& edit : sorted) {
    if (edit.begin < done) continue;
    text.append(source, done, edit.begin - done).append(edit.text);
    done = edit.end;
  }
  return text.append(source, done);
}

Rewritten rewrite(const std::string& source) {
  const Code code(source);
  Edits edits;
  rewrite_launches(code, edits);
  rewrite_kernel_heads(code, edits);
  rewrite_shared_declarations(code, edits);
  rewrite_assembly(code, edits);
  rewrite_kernel_pointers(code, edits);
  rewrite_allocations(code, edits);
  rewrite_objects(code, edits);
  rewrite_attributes(code, edits);
  rewrite_unrolling(code, edits);
  return {edits.applied_to(source)};
}

}  // namespace gemmlab::emulation
