#include "submissions/judge/checking/heap_check.h"

#include <fmt/format.h>
#include <signal.h>

#include "submissions/judge/failures/crash_words.h"
#include "submissions/judge/failures/memory_failure.h"

namespace gemmlab::submissions {

std::optional<Failure> heap_checked(CalleeSetup setup, const Request& request, double limit_s,
                                    const std::string& where) {
  setup.checked_heap = true;
  CalleeProcess process(std::move(setup));
  if (process.ready(kStart_s).reply.said != Said::kReady || !process.alive()) return {};
  if (process.load(limit_s).reply.said != Said::kLoaded || !process.alive()) return {};
  const CallEnd end = process.ask(request, limit_s);
  const auto word = said_by_library(process.printed());
  if (end.reply.said != Said::kFault || end.reply.number != SIGABRT || !word) return {};
  // these checks call a block "invalid" whose end was overwritten
  const LibraryWord overflow = heap_overflow_word();
  return failure(
      Judged::kCrashed, overflow.pattern,
      fmt::format("{}, {}: a bad address there, and in a second run with MALLOC_CHECK_ the C library said "
                  "\"{}\".",
                  overflow.explanation, where, word->said),
      overflow.hint);
}

}  // namespace gemmlab::submissions
