#include "emulator/rewrite/edits.h"

namespace gemmlab::emulation {
namespace {

/// Where a kernel's parameters and its body begin, the largest block that it is compiled for, and its clusters.
struct KernelHead {
  std::size_t parameters = kNone;
  std::size_t body = kNone;
  std::string bound;    ///< empty: none is given
  std::string cluster;  ///< of __cluster_dims__: "2, 1, 1"; empty: none
};

/// The end of the first argument in the brackets that open here.
std::size_t first_argument_end(const Code& code, std::size_t open) {
  for (std::size_t i = open + 1; i < code.partner(open); ++i) {
    if (code.is(i, ",")) return i;
    if (code.partner(i) != kNone && code.partner(i) > i) i = code.partner(i);
  }
  return code.partner(open);
}

/// Of the kernel whose `__global__` stands here.
KernelHead head_of(const Code& code, std::size_t global) {
  KernelHead head;
  for (std::size_t i = global + 1; code.together(i, global) && !code.is(i, ";"); ++i) {
    if (code.is(i, "{")) {
      head.body = head.parameters == kNone ? kNone : i;
      break;
    }
    if (!code.is(i, "(")) continue;
    if (code.partner(i) == kNone) break;
    const std::string_view before = code.text(i - 1);
    if (before == "__launch_bounds__") head.bound = code.flat(i + 1, first_argument_end(code, i), true);
    if (before == "__cluster_dims__") head.cluster = code.flat(i + 1, code.partner(i), true);
    const bool of_attribute = before.size() > 1 && before.substr(0, 2) == "__";
    if (!of_attribute && code.is_word(i - 1)) head.parameters = i;
    i = code.partner(i);
  }
  return head;
}

/// Names of parameters that are references: what they refer to is the host's, and no kernel can touch it.
std::string references(const Code& code, std::size_t open) {
  std::string notes;
  bool reference = false;
  std::size_t name = kNone;
  bool named = true;  // until a default argument begins
  for (std::size_t i = open + 1; i <= code.partner(open); ++i) {
    if (code.is(i, ",") || i == code.partner(open)) {
      if (reference && name != kNone)
        notes += " ::gemmlab::emulation::refers_to_the_host(" + std::string(code.text(name)) + ", \"" +
                 std::string(code.text(name)) + "\");";
      reference = false;
      named = true;
      name = kNone;
    } else if (code.is(i, "<") && code.end_of_arguments(i) != kNone) {
      i = code.end_of_arguments(i);
    } else if (code.is(i, "=")) {
      named = false;
    } else if (code.is(i, "&") && named) {
      reference = true;
    } else if (code.is_word(i) && named) {
      name = i;
    } else if (code.partner(i) != kNone && code.partner(i) > i) {
      i = code.partner(i);
    }
  }
  return notes;
}

}  // namespace

void rewrite_kernel_heads(const Code& code, Edits& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is(i, "__global__")) continue;
    const KernelHead head = head_of(code, i);
    if (head.body == kNone || code.is(head.body + 2, "gemmlab")) continue;  // it has been done
    std::string notes = references(code, head.parameters);
    if (!head.cluster.empty()) notes = " ::gemmlab::emulation::clustered_by(" + head.cluster + ");" + notes;
    if (!head.bound.empty()) notes = " ::gemmlab::emulation::compiled_for(" + head.bound + ");" + notes;
    if (!notes.empty()) edits.replace(code[head.body].end, code[head.body].end, notes);
  }
}

}  // namespace gemmlab::emulation
