#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <optional>

#include "runner/commands/commands.h"
#include "runner/execution/supervisor.h"
#include "submissions/judge/judgement_json.h"
#include "submissions/program/workplace.h"

namespace gemmlab::submissions {
namespace {

/// Ends this program where the driver asks for it, or is gone.
void throw_if_unwanted() {
  runner::throw_if_interrupted();
  pollfd driver{STDIN_FILENO, 0, 0};
  if (::poll(&driver, 1, 0) > 0 && (driver.revents & (POLLHUP | POLLERR)) != 0) throw runner::Interrupted();
}

/// One submission. It compiles at once, and is checked, timed or both as it is told: of a class all are checked first,
/// several at a time; timing must run alone.
class HandIn {
 public:
  HandIn(const runner::Catalogue& catalogue, runner::Channel& channel, const Json& request)
      : channel_(channel),
        place_(catalogue, channel, request),
        submission_(read_submission(request.at("file"))),
        built_(compile(submission_, place_.rule(), place_.options(), place_.surroundings())) {
    channel_.send({{"built", built_.build.ok}});
  }

  void check() {
    judgement_ = submissions::check(built_, place_.rule(), place_.options(), place_.surroundings());
    answer();
  }

  void time(const Json& asked) {
    place_.take_limits(asked.at("limits"));
    if (!judgement_) judgement_ = unchecked(built_, place_.rule(), place_.options(), place_.surroundings());
    submissions::time(*judgement_, built_, place_.rule(), place_.surroundings(),
                      timings_from(asked.at("ladder")));
    answer();
  }

 private:
  void answer() {
    Json verdict = to_json(*judgement_, place_.surroundings());
    verdict["ceilings"] = place_.ceilings(submission_.device);
    const bool timing = place_.options().timing || place_.options().counters;
    channel_.send({{"verdict", verdict},
                   {"may_be_timed", timing && may_be_timed(*judgement_)},
                   {"limits", place_.limits()}});
  }

  runner::Channel& channel_;
  Workplace place_;
  Submission submission_;
  Built built_;
  std::optional<Judgement> judgement_;
};

}  // namespace

int answer_hand_in(const runner::Catalogue& catalogue, runner::Channel& channel) {
  set_on_look(throw_if_unwanted);
  try {
    HandIn hand_in(catalogue, channel, next_request(channel));
    for (;;) {
      const Json asked = next_request(channel);
      asked.at("do") == "time" ? hand_in.time(asked) : hand_in.check();
    }
  } catch (const CannotBeJudged& reason) {
    channel.send({{"cannot", reason.what()}});
  }
  return runner::kExitDone;
}

int answer_ladder(const runner::Catalogue& catalogue, runner::Channel& channel) {
  set_on_look(throw_if_unwanted);
  const Json request = next_request(channel);
  Workplace place(catalogue, channel, request);
  place.take_limits(request.at("limits"));
  const Device& device = device_from(request.at("device"));
  const TimingResult timed = time_ladder(device, place.rule(), place.options(), place.surroundings());
  channel.send({{"rows", timings_json(timed.timings, device, place.surroundings())},
                {"notes", timed.notes},
                {"load", load_json(timed)},
                {"limits", place.limits()}});
  return runner::kExitDone;
}

}  // namespace gemmlab::submissions
