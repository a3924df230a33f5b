#include "submissions/judge/processes/callee_process.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "core/timing/elapsed.h"
#include "submissions/judge/processes/callee_setup.h"
#include "submissions/judge/processes/process_state.h"
#include "submissions/judge/processes/waits.h"
#include "submissions/plain_text.h"

namespace gemmlab::submissions {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLook_ms = 50;
constexpr double kAwake_s = 0.03;
constexpr std::int64_t kFilesTogether = 4;  ///< times what one file may take, for all in scratch
constexpr int kMostStrays = 1000;
constexpr double kFlooded_s = 1;
constexpr double kBusiest = 10;  ///< times its limit, an emulated call ends however busy the machine is
constexpr double kStop_s = 10;   ///< until all threads stand still; one may wait for a disk
/// What a stopped process may seem to have worked: the last thread may still be on its way off its processor, which
/// somebody else may hold meanwhile. Less is no offence, and counts as time of the next call.
constexpr double kWorkedStopped_s = 5e-3;
/// Room for the sandbox' own program and ours over what a submission may take.
constexpr std::int64_t kOwnMemoryBytes = std::int64_t{512} << 20;
constexpr std::size_t kMostPrinted = 2000;

/// Its texts may be submitted code's own words.
void make_plain(Reply& reply) {
  for (const auto& [text, room] :
       {std::pair{reply.text, sizeof reply.text}, {reply.opened, sizeof reply.opened}}) {
    text[room - 1] = '\0';
    const std::string plain = plain_text(text);  // never longer
    std::memcpy(text, plain.c_str(), plain.size() + 1);
  }
}

std::string failure(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

/// One message and, besides, the sender's process id as this process sees it (the kernel's word, not the
/// sender's).
ssize_t receive_once(int channel, Reply& reply, int& pid) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))];
  iovec part{&reply, sizeof reply};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t length = recvmsg(channel, &message, MSG_DONTWAIT);
  if (length <= 0) return length;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(one), sizeof sender);
    pid = sender.pid;
  }
  return length;
}

ssize_t receive(int channel, Reply& reply, int& pid) {
  const ssize_t length = receive_once(channel, reply, pid);
  // of one that died before it had read our request the kernel says so first, once; its last words come after
  return length < 0 && errno == ECONNRESET ? receive_once(channel, reply, pid) : length;
}

}  // namespace

namespace {
std::function<void()> on_look;
void look_in() {
  if (on_look) on_look();
}
}  // namespace

void set_on_look(std::function<void()> look) {
  on_look = std::move(look);
}

CalleeProcess::CalleeProcess(CalleeSetup setup) : setup_(std::move(setup)) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    throw std::runtime_error(failure("no channel"));
  channel_ = pair[0];
  const int on = 1;
  setsockopt(channel_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  output_ = memfd_create("gemmlab-printed", MFD_CLOEXEC);
  const Matrices& matrices = setup_.matrices;
  const auto input = [&](const std::shared_ptr<Room>& room) {
    return setup_.writable_inputs ? room->fd() : room->read_only_fd();
  };
  std::vector<std::pair<int, int>> fds{{kChannelFd, pair[1]},
                                       {kFirstMatrixFd, input(matrices.a)},
                                       {kFirstMatrixFd + 1, input(matrices.b)},
                                       {kFirstMatrixFd + 2, matrices.c->fd()}};
  if (setup_.report_fd >= 0) fds.emplace_back(kReportFd, setup_.report_fd);
  try {
    process_ = Confined(setup_.program, environment_of(setup_), fds, output_, setup_.confinement);
  } catch (...) {
    close(pair[1]);
    close(channel_);
    close(output_);
    throw;
  }
  close(pair[1]);
  const std::string text = told_at_start(setup_);
  (void)!send(channel_, text.data(), text.size(), MSG_NOSIGNAL);
}

CalleeProcess::~CalleeProcess() {
  if (channel_ >= 0) close(channel_);
  close(output_);
}

CallEnd CalleeProcess::ready(double limit_s) {
  return wait(limit_s);
}

CallEnd CalleeProcess::load(double limit_s) {
  return ask(Request{}, limit_s);
}

CallEnd CalleeProcess::ask(const Request& request, double limit_s, bool at_once) {
  Reply unasked;
  int pid = -1;
  CallEnd result;
  int strays = 0;
  for (ssize_t length = 0; (length = receive(channel_, unasked, pid)) > 0;) {
    // not a message of the protocol: a print that went astray
    if (length != static_cast<ssize_t>(sizeof unasked) && ++strays < kMostStrays) continue;
    // a fault after the call is an answer of its own; anything else was sent by someone who had not been
    // asked
    result.reply = unasked;
    end(result, unasked.said == Said::kFault ? CallEnd::How::kAnswered : CallEnd::How::kUnasked);
    return result;
  }
  // where it has died meanwhile this fails, and what it said last is still to be read
  (void)!send(channel_, &request, sizeof request, MSG_NOSIGNAL);
  return wait(limit_s, at_once);
}

CallEnd CalleeProcess::wait(double limit_s, bool at_once) {
  CallEnd result;
  result.memory_limit_bytes = setup_.confinement.memory_bytes;
  if (!at_once) look_in();
  const bool emulated = setup_.emulated() && pid_ > 0;
  const SchedulerLook before = emulated ? look_at_scheduler(pid_) : SchedulerLook{};
  const auto without_waiting = [&](double wall_s) {
    return emulated ? wall_s - waited_s(before, look_at_scheduler(pid_), wall_s) : wall_s;
  };
  const auto begin = Clock::now();
  for (;;) {
    pollfd look{channel_, POLLIN, 0};
    const bool awake = at_once && result.wall_s < kAwake_s;
    const int found = poll(&look, 1, awake ? 0 : kLook_ms);
    result.wall_s = seconds_since(begin);
    if (awake && found == 0) continue;
    // a flood of packets that are not answers does not extend the limit
    const double most_s = limit_s + (found > 0 ? kFlooded_s : 0);
    const bool late = result.wall_s > most_s &&
                      (result.wall_s > kBusiest * most_s || without_waiting(result.wall_s) > most_s);
    if (found > 0 && !late) {
      const ssize_t length = receive(channel_, result.reply, pid_);
      if (length < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (length > 0 && length != static_cast<ssize_t>(sizeof result.reply)) continue;  // as in ask()
      if (length <= 0) {
        end(result, CallEnd::How::kDied);
      } else if (result.reply.said == Said::kFault) {
        end(result, CallEnd::How::kAnswered);
      } else {
        make_plain(result.reply);
        result.how = CallEnd::How::kAnswered;
        result.wall_s = without_waiting(result.wall_s);
      }
      return result;
    }
    look_in();
    const bool memory = !late && too_much_memory();
    if (!late && !memory && !too_much_disk()) continue;
    end(result, late     ? CallEnd::How::kLate
                : memory ? CallEnd::How::kTooMuchMemory
                         : CallEnd::How::kTooMuchDisk);
    return result;
  }
}

/// The process is over, or is ended now.
void CalleeProcess::end(CallEnd& result, CallEnd::How how) {
  result.how = how;
  make_plain(result.reply);
  // one that died by itself has a status of its own; a moment is left to it
  for (int i = 0; i < 40 && how == CallEnd::How::kDied && !process_.ended(result.wait_status); ++i)
    usleep(5000);
  result.wait_status = process_.kill();
  alive_ = false;
}

bool CalleeProcess::too_much_memory() const {
  if (pid_ <= 0 || setup_.confinement.memory_bytes <= 0) return false;
  // shared memory counts, but for the matrices' own, of which every page may have been touched
  const auto [a, b, c] = setup_.room_bytes();
  const std::int64_t rooms = a + b + c;
  return memory_bytes(pid_) > setup_.confinement.memory_bytes + kOwnMemoryBytes + rooms;
}

/// One file's size is limited by the kernel; how much many files take together is looked at here.
bool CalleeProcess::too_much_disk() const {
  const Confinement& confinement = setup_.confinement;
  if (confinement.bare || confinement.file_bytes <= 0 || confinement.scratch.empty()) return false;
  return takes_more_than(confinement.scratch, kFilesTogether * confinement.file_bytes);
}

void CalleeProcess::leave(double limit_s) {
  close(channel_);
  channel_ = -1;
  const auto begin = Clock::now();
  for (int status = 0; alive_ && !process_.ended(status) && seconds_since(begin) < limit_s;)
    usleep(kLook_ms * 1000);
  alive_ = false;
}

bool CalleeProcess::worked_while_stopped(CallEnd& result) {
  worked_s_ = cpu_s(pid_) - cpu_when_stopped_s_;
  if (worked_s_ <= kWorkedStopped_s) return false;
  end(result, CallEnd::How::kWorkedInTurnOfOthers);
  return true;
}

CallEnd CalleeProcess::window(Request request, const WindowKey& key, double limit_s) {
  CallEnd result;
  if (worked_while_stopped(result)) return result;
  resume();
  request.ask = Ask::kPrepare;
  result = ask(request, limit_s);
  if (!alive_ || result.reply.said != Said::kReturned) return result;
  request.ask = Ask::kWindow;
  request.key = key;
  const auto begin = Clock::now();
  result = ask(request, limit_s, true);
  result.wall_s = seconds_since(begin);
  look_at_limits(result);
  return result;
}

CallEnd CalleeProcess::timed(const Request& request, double limit_s) {
  CallEnd result;
  if (worked_while_stopped(result)) return result;
  const double cpu_before_s = cpu_when_stopped_s_ + worked_s_;
  const SchedulerLook before = look_at_scheduler(pid_);
  const auto begin = Clock::now();
  resume();
  result = ask(request, limit_s);
  if (!alive_) return result;
  pause();
  result.stopped_s = seconds_since(begin) + worked_s_;
  result.cpu_s = cpu_when_stopped_s_ - cpu_before_s;
  result.waited_s = waited_s(before, look_at_scheduler(pid_), result.stopped_s);
  look_at_limits(result);
  return result;
}

void CalleeProcess::look_at_limits(CallEnd& result) {
  const bool memory = alive_ && too_much_memory();
  if (memory || (alive_ && too_much_disk()))
    end(result, memory ? CallEnd::How::kTooMuchMemory : CallEnd::How::kTooMuchDisk);
}

void CalleeProcess::pause() {
  if (pid_ <= 0 || !alive_) return;
  ::kill(pid_, SIGSTOP);
  const auto begin = Clock::now();
  while (!stands_still(pid_) && seconds_since(begin) < kStop_s) sched_yield();
  cpu_when_stopped_s_ = cpu_s(pid_);
}

void CalleeProcess::resume() {
  if (pid_ > 0 && alive_) ::kill(pid_, SIGCONT);
}

std::vector<MappedCode> CalleeProcess::code() const {
  std::ifstream maps("/proc/" + std::to_string(pid_) + "/maps");
  return mapped_code(maps);
}

std::string CalleeProcess::printed() const {
  std::string text(kMostPrinted, '\0');
  const ssize_t length = pread(output_, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return plain_text(text);
}

}  // namespace gemmlab::submissions
