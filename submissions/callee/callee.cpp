#include "submissions/callee/callee.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "core/timing/elapsed.h"
#include "submissions/callee/memory.h"
#include "submissions/sandbox/sandbox.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

void say(Reply& reply, const std::string& text) {
  const std::size_t length = std::min(text.size(), sizeof reply.text - 1);
  std::memcpy(reply.text, text.data(), length);
  reply.text[length] = '\0';
}

bool answer(const Reply& reply) {
  return send(kChannelFd, &reply, sizeof reply, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof reply);
}

int threads_now() {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.' ? 1 : 0;
  closedir(tasks);
  return count;
}

/// A submission's shared library. Its M, N and K need not be the suite's: see solve_shape.h.
class Submitted : public Callable {
 public:
  Submitted(const std::string& path, const Json& form)
      : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)),
        inner_k_(form.at("inner_k")),
        alpha_beta_(form.at("alpha_beta")) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    solve_ = dlsym(library_, "solve");
    if (solve_ == nullptr) throw std::runtime_error("it has no function solve");
    refused_ = static_cast<volatile unsigned long long*>(dlsym(library_, "gemmlab_refused_bytes"));
    report_refusals_from(refused_);
    last_error_ = reinterpret_cast<LastError>(dlsym(library_, "cudaGetLastError"));
    error_text_ = reinterpret_cast<ErrorText>(dlsym(library_, "cudaGetErrorString"));
  }

  /// Of the calls to come.
  void take(const Factors& factors) { factors_ = factors; }

  void call(const Shape& shape, const void* a, const void* b, void* c) override {
    const auto [M, N, K] = solve_sizes(shape, inner_k_);
    const int sizes[] = {static_cast<int>(M), static_cast<int>(N), static_cast<int>(K)};
    if (refused_ != nullptr) *refused_ = 0;  // what an earlier call was refused is not this one's
    if (alpha_beta_)
      return reinterpret_cast<Scaled>(solve_)(a, b, c, sizes[0], sizes[1], sizes[2], factors_.alpha,
                                              factors_.beta);
    reinterpret_cast<Solve>(solve_)(a, b, c, sizes[0], sizes[1], sizes[2]);
  }

  int take_device_error(std::string& text) override {
    if (last_error_ == nullptr) return 0;
    const int error = last_error_();
    if (error != 0 && error_text_ != nullptr) text = error_text_(error);
    return error;
  }

  void* symbol(const char* name) override { return dlsym(library_, name); }

  /// The first library that the submission has asked for at run time.
  std::string opened() {
    const auto* name = static_cast<const char*>(symbol("gemmlab_opened"));
    return name == nullptr ? std::string() : std::string(name, strnlen(name, sizeof Reply{}.opened - 1));
  }

  std::uint64_t refused_bytes() const { return refused_ == nullptr ? 0 : *refused_; }

 private:
  using Solve = void (*)(const void*, const void*, void*, int, int, int);
  using Scaled = void (*)(const void*, const void*, void*, int, int, int, float, float);
  using LastError = int (*)();
  using ErrorText = const char* (*)(int);
  void* library_ = nullptr;
  bool inner_k_;
  bool alpha_beta_;
  Factors factors_;
  void* solve_ = nullptr;
  volatile unsigned long long* refused_ = nullptr;
  LastError last_error_ = nullptr;
  ErrorText error_text_ = nullptr;
};

/// Nothing, beside threads that wait: what a call costs that does nothing.
class Empty : public Callable {
 public:
  explicit Empty(int threads) {
    for (int i = 0; i < threads; ++i)
      std::thread([] {
        for (;;) pause();
      }).detach();
  }
  void call(const Shape&, const void*, const void*, void*) override {}
};

class Callee {
 public:
  Callee(Json setup, const Makers& makers) : setup_(std::move(setup)), makers_(makers) {
    Rooms rooms;
    for (std::size_t i = 0; i < 3; ++i) {
      rooms.bytes[i] = setup_.at("rooms").at(i);
      rooms.element_bytes[i] = setup_.at("element_bytes").at(i);
    }
    rooms.window_bytes = setup_.at("window_bytes");
    const bool writable = setup_.at("writable_inputs");
    bench_ = make_bench(rooms, writable);
    if (setup_.contains("confinement")) confine();
  }

  void load(Reply& reply) {
    if (submitted()) {
      if (setup_.at("no_new_code").get<bool>()) forbid_made_code();
      auto callable =
          std::make_unique<Submitted>(setup_.at("library").get<std::string>(), setup_.at("solve"));
      library_ = callable.get();
      callable_ = std::move(callable);
      if (setup_.at("no_new_code").get<bool>()) forbid_new_code();
    } else if (setup_.contains("idle_threads")) {
      const bool gpu = setup_.at("gpu");
      callable_ = gpu ? makers_.gpu_empty() : std::make_unique<Empty>(setup_.at("idle_threads").get<int>());
    } else {
      if (!makers_.ours) throw std::runtime_error("this program holds no implementations");
      callable_ = makers_.ours(setup_.at("implementation"), setup_.at("parameters").dump());
    }
    reply.said = Said::kLoaded;
  }

  void call(const Request& request, Reply& reply) {
    callable_->prepare({request.m, request.n, request.k});
    if (library_ != nullptr) library_->take(request.factors);
    reply.said = Said::kReturned;
    bench_->call(request, *callable_, reply);
  }

  void window(const Request& request, Reply& reply) {
    if (request.ask == Ask::kPrepare) callable_->prepare({request.m, request.n, request.k});
    reply.said = Said::kReturned;
    bench_->window(request, *callable_, reply);
  }

  void look(const Request& request, Reply& reply) {
    reply.said = Said::kReturned;
    bench_->look(request, reply);
  }

  void resources(Reply& reply) {
    reply.said = Said::kReturned;
    say(reply, bench_->resources(*callable_));
  }

  std::string opened() const { return library_ == nullptr ? std::string() : library_->opened(); }
  std::uint64_t refused_bytes() const { return library_ == nullptr ? 0 : library_->refused_bytes(); }

 private:
  bool submitted() const { return setup_.contains("library"); }

  std::unique_ptr<CallBench> make_bench(const Rooms& rooms, bool writable) const {
    if (setup_.contains("emulation")) {
      const Json& given = setup_.at("emulation");
      return make_emulated_bench(rooms, writable,
                                 {given.at("seconds"), given.at("memory_bytes"), given.at("registers")});
    }
    if (!setup_.at("gpu").get<bool>()) return make_cpu_bench(rooms, writable);
    if (!makers_.gpu) throw std::runtime_error("this program uses no GPU");
    return makers_.gpu(rooms, writable);
  }

  void confine() {
    const Json& given = setup_.at("confinement");
    Confinement confinement;
    confinement.scratch = given.at("scratch");
    confinement.memory_bytes = given.at("memory_bytes");
    confinement.file_bytes = given.at("file_bytes");
    confinement.threads = given.at("threads");
    confinement.gpu = setup_.at("gpu");
    confinement.bare = given.at("bare");
    for (const Json& path : given.at("readable")) confinement.readable.push_back(path);
    confine_self(confinement);
  }

  Json setup_;
  const Makers& makers_;
  std::unique_ptr<CallBench> bench_;
  std::unique_ptr<Callable> callable_;
  Submitted* library_ = nullptr;
};

/// One request. Whatever submitted code throws is an answer like any other.
void serve(Callee& callee, const Request& request, Reply& reply) {
  try {
    switch (request.ask) {
      case Ask::kLoad:
        try {
          return callee.load(reply);
        } catch (const std::runtime_error& error) {
          reply.said = Said::kRefused;
          return say(reply, error.what());
        }
      case Ask::kCall:
        return callee.call(request, reply);
      case Ask::kLook:
        return callee.look(request, reply);
      case Ask::kPrepare:
      case Ask::kWindow:
      case Ask::kBring:
        return callee.window(request, reply);
      case Ask::kResources:
        return callee.resources(reply);
    }
  } catch (const std::bad_alloc& error) {
    reply.said = Said::kException;
    reply.refused_bytes = 1;  // how much is not known
    say(reply, error.what());
  } catch (const std::exception& error) {
    reply.said = Said::kException;
    say(reply, error.what());
  } catch (...) {
    reply.said = Said::kException;
    say(reply, "of a type that is not a std::exception");
  }
}

/// False where the judge has hung up. A window begins right after it has been prepared: asleep, this process would begin
/// late by what its waking takes.
bool next(Request& request) {
  constexpr double kSoon_s = 1e-3;
  const bool soon = request.ask == Ask::kPrepare;
  const auto begin = Clock::now();
  ssize_t length = -1;
  while (soon && length < 0 && seconds_since(begin) < kSoon_s)
    length = recv(kChannelFd, &request, sizeof request, MSG_DONTWAIT);
  if (length < 0) length = recv(kChannelFd, &request, sizeof request, 0);
  return length == static_cast<ssize_t>(sizeof request);
}

}  // namespace

void CallBench::window(const Request&, Callable&, Reply&) {
  throw std::runtime_error("windows are a GPU's");
}

int callee_main(const Makers& makers) {
  const auto begin = Clock::now();
  char text[1 << 14];
  const ssize_t length = recv(kChannelFd, text, sizeof text, 0);
  if (length <= 0) return 1;
  Reply ready;
  std::unique_ptr<Callee> callee;
  try {
    callee = std::make_unique<Callee>(Json::parse(text, text + length), makers);
  } catch (const std::exception& error) {
    ready.said = Said::kRefused;
    say(ready, error.what());
  }
  ready.seconds = seconds_since(begin);
  if (!answer(ready) || callee == nullptr) return 1;
  Request request;
  while (next(request)) {
    Reply reply;
    const auto start = Clock::now();
    serve(*callee, request, reply);
    if (reply.said == Said::kLoaded) reply.seconds = seconds_since(start);
    if (request.ask != Ask::kWindow)
      reply.threads = threads_now();  // nothing slow while the judge's clock runs
    const std::string opened = callee->opened();
    std::memcpy(reply.opened, opened.data(), opened.size());
    if (const std::uint64_t bytes = callee->refused_bytes(); bytes != 0) reply.refused_bytes = bytes;
    if (!answer(reply)) break;
  }
  _exit(0);  // nothing of a submission's runs at the end
}

}  // namespace gemmlab::submissions
