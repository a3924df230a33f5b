#pragma once

// What the steps of rewriting have in common: replacements that are made all at once.

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/rewrite/tokens.h"

namespace gemmlab::emulation {

/// Pieces of a source that are to be replaced. They do not overlap.
class Edits {
 public:
  /// [begin, end) becomes `text`; where begin == end, `text` is put in.
  void replace(std::size_t begin, std::size_t end, std::string text);
  std::string applied_to(const std::string& source) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t end;
    std::string text;
  };
  std::vector<Edit> edits_;
};

/// `kernel<<<...>>>(...)`, in macros too.
void rewrite_launches(const Code& code, Edits& edits);
/// Declarations with `__shared__`.
void rewrite_shared_declarations(const Code& code, Edits& edits);
/// The bodies of kernels: what their heads say of launches and of memory of the host.
void rewrite_kernel_heads(const Code& code, Edits& edits);
/// Casts to `void*`, of what may be a kernel.
void rewrite_kernel_pointers(const Code& code, Edits& edits);
/// `asm`: inline PTX.
void rewrite_assembly(const Code& code, Edits& edits);
/// `malloc` and `free`, which a kernel may call, too.
void rewrite_allocations(const Code& code, Edits& edits);
/// `new` and `delete`, likewise.
void rewrite_objects(const Code& code, Edits& edits);
/// `__noinline__`, which as a macro would break attributes in headers of the compiler.
void rewrite_attributes(const Code& code, Edits& edits);
/// `#pragma unroll` and `_Pragma("unroll")`.
void rewrite_unrolling(const Code& code, Edits& edits);

}  // namespace gemmlab::emulation
