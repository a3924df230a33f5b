// What the judge makes of a callee that dies.

#include "submissions/judge/processes/callee_process.h"

#include <sys/wait.h>

#include "submissions/judge/failures/failure.h"
#include "tests/submissions/sandbox_support.h"

namespace gemmlab::submissions::probed {
namespace {

class DyingCallee : public SandboxTest {
 protected:
  CalleeSetup setup(const std::string& action) const {
    CalleeSetup made;
    made.program = {std::filesystem::canonical(GEMMLAB_PROBE).string(),
                    "outer",
                    confinement_.scratch,
                    "0",
                    "0",
                    "0",
                    "0",
                    action};
    made.matrices = Matrices::for_shapes({{16, 16, 16}});
    made.implementation = "none";
    made.confinement = confinement_;
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(, DyingCallee, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "bubblewrap" : "without"; });

// A thread that solve left behind faults at any time, also between a request's sending and its reading.
TEST_P(DyingCallee, is_heard_though_a_request_lies_unread) {
  CalleeProcess process(setup("fault before reading"));
  ASSERT_EQ(process.ready(kStart_s).reply.said, Said::kReady);
  // the judge comes to read once it is over
  set_on_look([] {
    siginfo_t ended{};
    waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);
  });
  const CallEnd end = process.ask(call_at({16, 16, 16}), kStart_s);
  set_on_look({});
  EXPECT_EQ(end.how, CallEnd::How::kAnswered);
  const auto failure = failure_of(end, Phase::kChecking, {16, 16, 16}, kStart_s, process.printed());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->pattern, "unfinished-work") << failure->explanation;
}

}  // namespace
}  // namespace gemmlab::submissions::probed
