// Single calls of GPU code on this processor: allocations that are just as long as the matrices, C fetched the
// moment that the default stream is done, and what the emulator found left in memory for the judge.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "emulator/exports.h"
#include "submissions/callee/callee.h"
#include "submissions/callee/memory.h"

namespace gemmlab::submissions {
namespace {

using Clock = std::chrono::steady_clock;

// What a loop without end may do before it is taken for one: any kernel that multiplies does far less.
// Of a grid, spread over it: what a block asks of the memory differs at the edges only. What such a call leaves in C is not
// looked at.
constexpr std::uint64_t kBlocksCounted = 24;
constexpr std::uint64_t kBlocksSparse = 2;    ///< an index overflows in the first or the last, if in any
constexpr std::uint64_t kBlocksSampled = 64;  ///< of which C is looked at where they write
constexpr std::uint64_t kAccessesAtLeast = 30'000'000;
constexpr std::int64_t kTile = 32;
constexpr std::uint64_t kAccessesPerProduct = 500;
// cudaMemcpyKind
constexpr int kHostToDevice = 1;
constexpr int kDeviceToHost = 2;
constexpr const char* kNames[] = {"A", "B", "C"};

/// The functions of the emulator that a library is linked with.
struct Emulator {
  decltype(&gemmlab_emulation_begin) begin;
  decltype(&gemmlab_emulation_allocate) allocate;
  decltype(&gemmlab_emulation_release) release;
  decltype(&gemmlab_emulation_synchronize) synchronize;
  decltype(&gemmlab_emulation_report) report;
  decltype(&gemmlab_emulation_registers) registers;
  int (*copy)(void*, const void*, std::size_t, int);
  int (*finish_stream)(void*);

  explicit Emulator(Callable& callable) {
    find(callable, "gemmlab_emulation_begin", begin);
    find(callable, "gemmlab_emulation_allocate", allocate);
    find(callable, "gemmlab_emulation_release", release);
    find(callable, "gemmlab_emulation_synchronize", synchronize);
    find(callable, "gemmlab_emulation_report", report);
    find(callable, "gemmlab_emulation_registers", registers);
    find(callable, "cudaMemcpy", copy);
    find(callable, "cudaStreamSynchronize", finish_stream);
  }

 private:
  template <class Function>
  static void find(Callable& callable, const char* name, Function& function) {
    function = reinterpret_cast<Function>(callable.symbol(name));
    if (function == nullptr) throw std::runtime_error(std::string("the library has no ") + name);
  }
};

class EmulatedBench : public CallBench {
 public:
  EmulatedBench(const Rooms& rooms, bool writable_inputs, EmulationBudget budget)
      : rooms_(rooms), memory_(rooms, writable_inputs), budget_(std::move(budget)) {}

  void call(const Request& request, Callable& callable, Reply& reply) override {
    if (!emulator_) {
      emulator_.emplace(callable);
      for (const auto& [kernel, registers] : budget_.registers)
        emulator_->registers(kernel.c_str(), registers);
    }
    const Shape shape{request.m, request.n, request.k};
    std::string text;
    if (!ready(request, shape)) return failed(reply, callable, 0, "");
    callable.take_device_error(text);  // what an earlier call left is not this one's
    text.clear();
    memory_.begin_call(request);
    const auto begin = Clock::now();
    callable.call(shape, matrices_[0], matrices_[1], matrices_[2]);
    const int error = emulator_->finish_stream(nullptr);
    reply.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    memory_.end_call();
    if (error != 0) return failed(reply, callable, error, "");
    if (request.sparse == 0 && !fetch(request, shape)) return failed(reply, callable, 0, "");
    // what waits in other streams is done only now: it comes too late
    char said[sizeof reply.text] = {};
    if (const int late = emulator_->synchronize(said, sizeof said); late != 0)
      return failed(reply, callable, late, said);
    if (const int left = callable.take_device_error(text); left != 0) {
      reply.number = left;
      copy_text(reply, text);
    }
    if (request.checked != 0) check(request, shape, reply);
    hand_over(request, reply);
  }

  void look(const Request& request, Reply& reply) override {
    char said[sizeof reply.text] = {};
    const int error = emulator_ ? emulator_->synchronize(said, sizeof said) : 0;
    const bool fetched = error == 0 && emulator_ && fetch(request, {request.m, request.n, request.k});
    if (fetched) return;
    reply.said = Said::kDeviceError;
    reply.number = error;
    copy_text(reply, said);
  }

 private:
  static void copy_text(Reply& reply, const std::string& text) {
    const std::size_t length = std::min(text.size(), sizeof reply.text - 1);
    std::memcpy(reply.text, text.data(), length);
    reply.text[length] = '\0';
  }

  std::size_t bytes_of(const Shape& shape, int matrix) const {
    const std::int64_t count = matrix == 0   ? shape.a_count()
                               : matrix == 1 ? shape.b_count()
                                             : shape.c_count();
    return static_cast<std::size_t>(count * rooms_.element_bytes[matrix]);
  }

  /// A, B and C in allocations of their own; the same as in the call before, where they are as long: what is kept by its pointer
  /// is found by other inputs there.
  bool ready(const Request& request, const Shape& shape) {
    GemmlabEmulationLimits limits{};
    limits.memory_bytes = budget_.memory_bytes;
    limits.seconds = budget_.seconds;
    // of a side that is 1 a tile of the kernel's is gone through all the same
    const auto side = [](std::int64_t of) { return static_cast<std::uint64_t>(std::max(of, kTile)); };
    limits.accesses = kAccessesAtLeast + kAccessesPerProduct * side(shape.m) * side(shape.n) * side(shape.k);
    limits.counts = request.profiled != 0 ? 1 : 0;
    limits.blocks = request.profiled != 0  ? kBlocksCounted
                    : request.sparse != 0  ? kBlocksSparse
                    : request.sampled != 0 ? kBlocksSampled
                                           : 0;
    limits.sparse = request.sparse != 0 ? 1 : 0;
    emulator_->begin(&limits);
    // C too: the judge says what it holds before the call
    const auto fill = [&](int i) {
      return matrices_[i] != nullptr &&
             (request.sparse != 0 || emulator_->copy(matrices_[i], memory_.at(i, request.offset[i]),
                                                     bytes_of(shape, i), kHostToDevice) == 0);
    };
    const bool kept = shape == made_for_ && fill(0) && fill(1) && fill(2);
    made_for_ = shape;
    if (kept) return true;
    for (void*& one : matrices_) {
      if (one != nullptr) emulator_->release(one);
      one = nullptr;
    }
    for (int i = 0; i < 3; ++i) {
      matrices_[i] = emulator_->allocate(bytes_of(shape, i), kNames[i]);
      if (!fill(i)) return false;
    }
    return true;
  }

  /// C as it is now. False where it is no longer there.
  bool fetch(const Request& request, const Shape& shape) {
    memory_.open_c();
    return emulator_->copy(memory_.at(2, request.offset[2]), matrices_[2], bytes_of(shape, 2),
                           kDeviceToHost) == 0;
  }

  /// A call that the device ended: what was the error?
  void failed(Reply& reply, Callable& callable, int error, std::string text) {
    memory_.open_c();
    std::string last;
    const int of_last = callable.take_device_error(last);
    reply.said = Said::kDeviceError;
    reply.number = error != 0 ? error : of_last;
    copy_text(reply, text.empty() ? last : text);
    hand_over({}, reply);
  }

  /// C once more, and A and B back to where they came from.
  void check(const Request& request, const Shape& shape, Reply& reply) {
    std::vector<char> later(bytes_of(shape, 2));
    bool there = emulator_->copy(later.data(), matrices_[2], later.size(), kDeviceToHost) == 0;
    reply.changed_later =
        std::memcmp(later.data(), memory_.at(2, request.offset[2]), later.size()) != 0 ? 1 : 0;
    for (int i = 0; i < 2; ++i)
      there = emulator_->copy(memory_.at(i, request.offset[i]), matrices_[i], bytes_of(shape, i),
                              kDeviceToHost) == 0 &&
              there;
    if (!there) reply.said = Said::kDeviceError;
  }

  /// Leaves the report where it says something.
  void hand_over(const Request& request, Reply& reply) {
    const std::string report = emulator_->report();
    const auto parsed = nlohmann::json::parse(report, nullptr, false);
    const bool found = parsed.is_object() && parsed.contains("findings") && !parsed.at("findings").empty();
    if (!found && request.profiled == 0) return;
    // a descriptor that was given: no file can be opened here
    const auto bytes = static_cast<ssize_t>(report.size());
    reply.reported =
        ftruncate(kReportFd, 0) == 0 && pwrite(kReportFd, report.data(), report.size(), 0) == bytes ? 1 : 0;
  }

  Rooms rooms_;
  CalleeMemory memory_;
  EmulationBudget budget_;
  std::optional<Emulator> emulator_;
  void* matrices_[3] = {};
  Shape made_for_;
};

}  // namespace

std::unique_ptr<CallBench> make_emulated_bench(const Rooms& rooms, bool writable_inputs,
                                               EmulationBudget budget) {
  return std::make_unique<EmulatedBench>(rooms, writable_inputs, std::move(budget));
}

}  // namespace gemmlab::submissions
