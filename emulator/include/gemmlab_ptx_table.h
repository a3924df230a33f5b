#pragma once

// The instructions of PTX that are run, the one list of them: what the rewriter and the compiler refuse by, and what the runtime
// interprets. Source: PTX ISA 8.7.

#include <cstddef>

namespace gemmlab::emulation {

/// An instruction and the words that may stand behind it. What a combination means, the runtime knows.
struct PtxInstruction {
  const char* name;
  const char* words;
};

#define GEMMLAB_INTEGERS "s8 u8 s16 u16 s32 u32 s64 u64"
#define GEMMLAB_BITS "b8 b16 b32 b64"
#define GEMMLAB_FLOATS "f16 f16x2 bf16 bf16x2 f32 f64"
#define GEMMLAB_ORDERS "relaxed acquire release acq_rel sc cta cluster gpu sys volatile weak"
#define GEMMLAB_SPACES "shared shared::cta shared::cluster global local const param param::entry"
#define GEMMLAB_CACHES                                                                           \
  "ca cg cs lu cv wb wt nc L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged " \
  "L1::no_allocate "                                                                             \
  "L2::evict_first L2::evict_last L2::evict_normal L2::cache_hint L2::64B L2::128B L2::256B"
#define GEMMLAB_MATRICES "m8n8 m16n8 m8n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k4"
#define GEMMLAB_COLUMNS                                                                                    \
  "m64n8k8 m64n16k8 m64n24k8 m64n32k8 m64n40k8 m64n48k8 m64n64k8 m64n80k8 m64n96k8 m64n128k8 m64n160k8 "   \
  "m64n192k8 m64n224k8 m64n256k8 m64n8k16 m64n16k16 m64n24k16 m64n32k16 m64n40k16 m64n48k16 m64n64k16 "    \
  "m64n80k16 m64n96k16 m64n112k16 m64n128k16 m64n144k16 m64n160k16 m64n176k16 m64n192k16 m64n208k16 "      \
  "m64n224k16 m64n240k16 m64n256k16 m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n48k32 m64n64k32 m64n80k32 " \
  "m64n96k32 m64n112k32 m64n128k32 m64n144k32 m64n160k32 m64n176k32 m64n192k32 m64n208k32 m64n224k32 "     \
  "m64n240k32 m64n256k32"

inline constexpr PtxInstruction kPtxInstructions[] = {
    // values
    {"mov", "pred " GEMMLAB_INTEGERS " " GEMMLAB_BITS " " GEMMLAB_FLOATS},
    {"add", "rn rz rm rp ftz sat " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"sub", "rn rz rm rp ftz sat " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"mul", "rn rz rm rp ftz sat lo hi wide " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"mul24", "lo s32 u32"},
    {"mad", "rn rz rm rp ftz sat lo hi wide " GEMMLAB_INTEGERS " f32 f64"},
    {"mad24", "lo s32 u32"},
    {"fma", "rn rz rm rp ftz sat relu " GEMMLAB_FLOATS},
    {"div", "rn rz rm rp ftz approx full " GEMMLAB_INTEGERS " f32 f64"},
    {"rem", GEMMLAB_INTEGERS},
    {"abs", "ftz " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"neg", "ftz " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"min", "ftz NaN " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"max", "ftz NaN " GEMMLAB_INTEGERS " " GEMMLAB_FLOATS},
    {"sad", GEMMLAB_INTEGERS},
    {"rcp", "rn rz rm rp approx ftz f32 f64"},
    {"sqrt", "rn rz rm rp approx ftz f32 f64"},
    {"rsqrt", "approx ftz f32 f64"},
    {"ex2", "approx ftz f32 f16 f16x2"},
    {"lg2", "approx ftz f32"},
    {"sin", "approx ftz f32"},
    {"cos", "approx ftz f32"},
    {"tanh", "approx f32 f16 f16x2"},
    {"and", "pred b16 b32 b64"},
    {"or", "pred b16 b32 b64"},
    {"xor", "pred b16 b32 b64"},
    {"not", "pred b16 b32 b64"},
    {"cnot", "b16 b32 b64"},
    {"shl", "b16 b32 b64"},
    {"shr", "b16 b32 b64 s16 s32 s64 u16 u32 u64"},
    {"shf", "l r clamp wrap b32"},
    {"popc", "b32 b64"},
    {"clz", "b32 b64"},
    {"brev", "b32 b64"},
    {"bfe", "s32 u32 s64 u64"},
    {"bfi", "b32 b64"},
    {"bfind", "shiftamt s32 u32 s64 u64"},
    {"prmt", "b32"},
    {"lop3", "b32"},
    {"dp4a", "s32 u32"},
    {"dp2a", "lo hi s32 u32"},
    {"setp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan ftz and or xor " GEMMLAB_INTEGERS
             " " GEMMLAB_BITS " " GEMMLAB_FLOATS},
    {"selp", GEMMLAB_INTEGERS " " GEMMLAB_BITS " f32 f64"},
    {"cvt", "rn rz rm rp rni rzi rmi rpi rna ftz sat satfinite relu tf32 e4m3x2 e5m2x2 " GEMMLAB_INTEGERS
            " " GEMMLAB_FLOATS},
    {"cvta", "to " GEMMLAB_SPACES " u32 u64"},
    {"isspacep", GEMMLAB_SPACES},
    // memory
    {"ld", "v2 v4 v8 " GEMMLAB_ORDERS " " GEMMLAB_SPACES " " GEMMLAB_CACHES " " GEMMLAB_INTEGERS
           " " GEMMLAB_BITS " f32 f64"},
    {"ldu", "v2 v4 global " GEMMLAB_INTEGERS " " GEMMLAB_BITS " f32 f64"},
    {"st", "v2 v4 v8 " GEMMLAB_ORDERS " " GEMMLAB_SPACES " " GEMMLAB_CACHES " " GEMMLAB_INTEGERS
           " " GEMMLAB_BITS " f32 f64"},
    {"atom", "add min max and or xor exch cas inc dec noftz rn v2 v4 " GEMMLAB_ORDERS " " GEMMLAB_SPACES
             " L2::cache_hint " GEMMLAB_INTEGERS " " GEMMLAB_BITS " " GEMMLAB_FLOATS},
    {"red", "add min max and or xor inc dec noftz rn v2 v4 " GEMMLAB_ORDERS " " GEMMLAB_SPACES
            " L2::cache_hint " GEMMLAB_INTEGERS " " GEMMLAB_BITS " " GEMMLAB_FLOATS},
    {"prefetch", "global local L1 L2 tensormap const param L2::evict_last L2::evict_normal"},
    {"prefetchu", "L1"},
    {"discard", "global L2"},
    {"applypriority", "global L2::evict_normal"},
    {"createpolicy.fractional", "L2::evict_first L2::evict_last L2::evict_normal L2::evict_unchanged b64"},
    // lanes of a warp
    {"shfl.sync", "up down bfly idx b32"},
    {"vote.sync", "all any uni ballot pred b32"},
    {"match.any.sync", "b32 b64"},
    {"match.all.sync", "b32 b64"},
    {"activemask", "b32"},
    {"redux.sync", "add min max and or xor s32 u32 b32"},
    {"elect.sync", ""},
    // barriers and fences
    {"bar", "sync arrive cta red popc and or u32 pred"},
    {"barrier", "sync arrive cta red popc and or aligned u32 pred"},
    {"bar.warp.sync", ""},
    {"barrier.cluster.arrive", "release relaxed aligned"},
    {"barrier.cluster.wait", "acquire aligned"},
    {"membar", "cta gl sys"},
    {"fence",
     "sc acq_rel acquire release cta cluster gpu sys mbarrier_init sync_restrict::shared::cta "
     "sync_restrict::shared::cluster"},
    {"fence.proxy",
     "alias async async.global async.shared::cta async.shared::cluster global shared::cta "
     "shared::cluster"},
    {"mbarrier.init", "shared shared::cta b64"},
    {"mbarrier.inval", "shared shared::cta b64"},
    {"mbarrier.arrive",
     "expect_tx noComplete release relaxed cta cluster shared shared::cta shared::cluster b64"},
    {"mbarrier.arrive_drop", "expect_tx release relaxed cta cluster shared shared::cta shared::cluster b64"},
    {"mbarrier.expect_tx", "relaxed cta cluster shared shared::cta shared::cluster b64"},
    {"mbarrier.complete_tx", "relaxed cta cluster shared shared::cta shared::cluster b64"},
    {"mbarrier.test_wait", "parity acquire relaxed cta cluster shared shared::cta b64"},
    {"mbarrier.try_wait", "parity acquire relaxed cta cluster shared shared::cta b64"},
    // asynchronous copies
    {"cp.async", "ca cg shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B"},
    {"cp.async.commit_group", ""},
    {"cp.async.wait_group", ""},
    {"cp.async.wait_all", ""},
    {"cp.async.mbarrier.arrive", "noinc shared shared::cta b64"},
    {"cp.async.bulk",
     "shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group "
     "multicast::cluster L2::cache_hint"},
    {"cp.async.bulk.prefetch", "L2 global L2::cache_hint"},
    {"cp.async.bulk.prefetch.tensor", "1d 2d 3d 4d 5d L2 global tile L2::cache_hint"},
    {"cp.async.bulk.tensor",
     "1d 2d 3d 4d 5d shared::cluster shared::cta global tile mbarrier::complete_tx::bytes "
     "bulk_group multicast::cluster L2::cache_hint"},
    {"cp.async.bulk.commit_group", ""},
    {"cp.async.bulk.wait_group", "read"},
    {"mapa", "shared::cluster u32 u64"},
    // tensor cores
    {"ldmatrix", "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16"},
    {"stmatrix", "sync aligned m8n8 x1 x2 x4 trans shared shared::cta b16"},
    {"movmatrix", "sync aligned m8n8 trans b16"},
    {"mma.sync",
     "aligned row col m16n8k8 m16n8k16 m16n8k32 m16n8k4 satfinite kind::f8f6f4 f16 bf16 tf32 f32 s8 u8 "
     "s32 e4m3 e5m2"},
    {"wgmma.fence", "sync aligned"},
    {"wgmma.commit_group", "sync aligned"},
    {"wgmma.wait_group", "sync aligned"},
    {"wgmma.mma_async", "sync aligned " GEMMLAB_COLUMNS " f32 f16 bf16 tf32 e4m3 e5m2 s32 s8 u8"},
    // the flow
    {"bra", "uni"},
    {"exit", ""},
    {"trap", ""},
    {"nanosleep", "u32"},
    {"pmevent", "mask"},
    {"griddepcontrol", "launch_dependents wait"},
    {"setmaxnreg", "inc dec sync aligned u32"},
};

#undef GEMMLAB_INTEGERS
#undef GEMMLAB_BITS
#undef GEMMLAB_FLOATS
#undef GEMMLAB_ORDERS
#undef GEMMLAB_SPACES
#undef GEMMLAB_CACHES
#undef GEMMLAB_MATRICES
#undef GEMMLAB_COLUMNS

inline constexpr std::size_t kPtxCount = sizeof kPtxInstructions / sizeof kPtxInstructions[0];

constexpr bool ptx_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
constexpr bool ptx_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

/// How many characters of [begin, end) the name takes as whole words; 0 where it is another.
constexpr std::size_t ptx_length_of(const char* name, const char* begin, const char* end) {
  std::size_t i = 0;
  for (; name[i] != '\0'; ++i) {
    if (begin + i == end || begin[i] != name[i]) return 0;
  }
  return begin + i == end || begin[i] == '.' ? i : 0;
}

/// Is [begin, end) one of the words of the list, which are spaced?
constexpr bool ptx_among(const char* list, const char* begin, const char* end) {
  while (*list != '\0') {
    std::size_t i = 0;
    while (list[i] != ' ' && list[i] != '\0' && begin + i != end && list[i] == begin[i]) ++i;
    if (begin + i == end && (list[i] == ' ' || list[i] == '\0')) return true;
    while (*list != ' ' && *list != '\0') ++list;
    while (*list == ' ') ++list;
  }
  return false;
}

/// Which instruction [begin, end), "ld.shared.b32", is one of; kPtxCount where none is run that way.
constexpr std::size_t ptx_instruction(const char* begin, const char* end) {
  std::size_t found = kPtxCount;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kPtxCount; ++i) {
    const std::size_t its = ptx_length_of(kPtxInstructions[i].name, begin, end);
    if (its > length) {
      length = its;
      found = i;
    }
  }
  if (found == kPtxCount) return found;
  const char* at = begin + length;
  while (at != end) {
    const char* word = ++at;  // past the point
    while (at != end && *at != '.') ++at;
    if (!ptx_among(kPtxInstructions[found].words, word, at)) return kPtxCount;
  }
  return found;
}

constexpr const char* ptx_past_blanks(const char* at) {
  for (;;) {
    while (ptx_blank(*at)) ++at;
    if (at[0] == '/' && at[1] == '/') {
      while (*at != '\n' && *at != '\0') ++at;
    } else if (at[0] == '/' && at[1] == '*') {
      while (*at != '\0' && !(at[0] == '*' && at[1] == '/')) ++at;
      if (*at != '\0') at += 2;
    } else {
      return at;
    }
  }
}

/// The first instruction of a text that is not run, to its end; empty (begin == end) where all are.
struct PtxRefused {
  const char* begin;
  const char* end;
};
constexpr PtxRefused ptx_refused(const char* text) {
  const char* at = ptx_past_blanks(text);
  while (*at != '\0') {
    if (*at == ';' || *at == '{' || *at == '}') {
      at = ptx_past_blanks(at + 1);
      continue;
    }
    if (*at == '@') {
      ++at;
      while (*at == '!' || ptx_blank(*at)) ++at;
      while (ptx_word(*at)) ++at;
      at = ptx_past_blanks(at);
      continue;
    }
    const char* const begin = at;
    while (*at != '\0' && *at != ';' && !ptx_blank(*at) && !(at[0] == ':' && at[1] != ':' && at[-1] != ':'))
      ++at;
    if (*at == ':') {  // a label
      at = ptx_past_blanks(at + 1);
      continue;
    }
    const bool registers = ptx_length_of(".reg", begin, at) != 0 || ptx_length_of(".pragma", begin, at) != 0;
    if (!registers && ptx_instruction(begin, at) == kPtxCount) return {begin, at};
    while (*at != '\0' && *at != ';') ++at;
  }
  return {at, at};
}
constexpr bool ptx_is_run(const char* text) {
  const PtxRefused refused = ptx_refused(text);
  return refused.begin == refused.end;
}

}  // namespace gemmlab::emulation
