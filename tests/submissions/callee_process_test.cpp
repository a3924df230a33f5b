// What the judge makes of a callee that dies, or waits for a processor.

#include "submissions/judge/processes/callee_process.h"

#include <sys/wait.h>

#include "submissions/judge/failures/failure.h"
#include "tests/submissions/sandbox_support.h"

namespace gemmlab::submissions::probed {
namespace {

class TroubledCallee : public SandboxTest {
 protected:
  CalleeSetup setup(const std::vector<std::string>& action) const {
    CalleeSetup made;
    made.program = {std::filesystem::canonical(GEMMLAB_PROBE).string(),
                    "outer",
                    confinement_.scratch,
                    "0",
                    "0",
                    "0",
                    "0"};
    made.program.insert(made.program.end(), action.begin(), action.end());
    made.matrices = Matrices::for_shapes({{16, 16, 16}});
    made.implementation = "none";
    made.confinement = confinement_;
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(, TroubledCallee, ::testing::Bool(),
                         [](const auto& with) { return with.param ? "bubblewrap" : "without"; });

// A thread that solve left behind faults at any time, also between a request's sending and its reading.
TEST_P(TroubledCallee, is_heard_though_a_request_lies_unread) {
  CalleeProcess process(setup({"fault before reading"}));
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

// Where nothing else runs it is in time anyway; beside other work it was late.
TEST_P(TroubledCallee, is_not_late_by_what_an_emulated_call_waits_for_a_processor) {
  constexpr double kLimit_s = 0.6;
  CalleeSetup made = setup({"compute", "0.1"});
  made.emulated_s = 1;
  CalleeProcess process(made);
  ASSERT_EQ(process.ready(kStart_s).reply.said, Said::kReady);
  const CallEnd end = process.ask(call_at({16, 16, 16}), kLimit_s);
  EXPECT_EQ(end.how, CallEnd::How::kAnswered);
  EXPECT_LE(end.wall_s, kLimit_s);
}

}  // namespace
}  // namespace gemmlab::submissions::probed
