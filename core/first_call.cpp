#include "core/first_call.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/matrix.h"
#include "core/statistics.h"

namespace gemmlab {
namespace {

constexpr int kSteadyCalls = 20;
constexpr double kSteadyLimit_s = 2;

/// Phases one after the other: each begins where the one before ended.
class Laps {
 public:
  explicit Laps(FirstCall& call) : call_(call), last_(Clock::now()) {}
  void end(const char* phase) {
    const auto now = Clock::now();
    call_.phases_s.emplace_back(phase, std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  FirstCall& call_;
  Clock::time_point last_;
};

/// The median of later calls, each waited for.
double steady_s(Backend& backend, const Backend::Call& call) {
  std::vector<double> samples;
  double spent_s = 0;
  while (static_cast<int>(samples.size()) < kSteadyCalls && spent_s < kSteadyLimit_s) {
    samples.push_back(backend.sample({call}, Scope::kCall, Timing::kLaunch, 0));
    spent_s += samples.back();
  }
  return median(samples);
}

/// A, B and C where a program has them. Filled by this thread alone: a team of threads made now would no
/// longer have to be made by the first call.
struct Matrices {
  Matrices(const Point& point)
      : a(point.shape.a_count()),
        b(point.shape.b_count()),
        c(point.shape.c_count()),
        limit(integer_limit(point.shape.k)) {
    fill_range(a.data(), 0, a.count(), point.distribution, point.seed, Operand::kA, limit);
    fill_range(b.data(), 0, b.count(), point.distribution, point.seed, Operand::kB, limit);
  }
  AlignedArray<float> a, b, c;
  std::int32_t limit;
};

void poison(AlignedArray<float>& c) {
  std::fill(c.data(), c.data() + c.count(), std::numeric_limits<float>::quiet_NaN());
}

/// On a GPU the matrices travel; on a CPU a program multiplies where they lie, and only C's memory is new.
FirstCall measured(const Implementation& implementation, const Point& point,
                   const std::function<std::unique_ptr<Backend>()>& make_backend, Matrices& host,
                   Outcome& outcome) {
  FirstCall call;
  const bool gpu = implementation.description().device == Device::kGpu;
  if (gpu) poison(host.c);
  Laps laps(call);
  const std::unique_ptr<Backend> backend = make_backend();
  if (gpu) laps.end("context");
  const float* a = host.a.data();
  const float* b = host.b.data();
  float* device_a = nullptr;
  float* device_b = nullptr;
  if (gpu) {
    a = device_a = backend->allocate(host.a.count());
    b = device_b = backend->allocate(host.b.count());
  }
  float* c = backend->allocate(host.c.count());
  laps.end("allocation");
  if (gpu) {
    backend->upload(device_a, host.a.data(), host.a.count());
    backend->upload(device_b, host.b.data(), host.b.count());
    laps.end("transfer_in");
  }
  const std::unique_ptr<Session> session = implementation.prepare(point.shape, point.parameters);
  laps.end("prepare");
  if (gpu) {
    outcome.resources = session->resources();
    // a library's code is loaded by its own preparation and first call
    if (!outcome.resources.empty()) laps.end("module");
  }
  const Backend::Call multiply = [&] { session->multiply(a, b, c); };
  multiply();
  backend->synchronize();
  laps.end("kernel");
  backend->download(host.c.data(), c, host.c.count());
  if (gpu) laps.end("transfer_out");
  call.steady_s = steady_s(*backend, multiply);
  outcome.threads_actual = session->threads_actual();
  outcome.chosen = session->chosen();
  for (float* memory : {device_a, device_b, c}) {
    if (memory != nullptr) backend->release(memory);
  }
  return call;
}

}  // namespace

Outcome first_call(const Implementation& implementation, const Point& point,
                   const std::function<std::unique_ptr<Backend>()>& make_backend,
                   const DoubleProduct& product) {
  Outcome outcome;
  outcome.precision = implementation.description().precision;
  outcome.moved_bytes = implementation.moved_bytes(point.shape, point.parameters);
  if (std::string refusal = refused_scope(implementation, point); !refusal.empty()) {
    outcome.status = Status::kUnsupported;
    outcome.reason = std::move(refusal);
    return outcome;
  }
  Matrices host(point);
  try {
    outcome.first_calls = {measured(implementation, point, make_backend, host, outcome)};
    outcome.samples_s = {outcome.first_calls.front().total_s()};
  } catch (const OutOfMemory& error) {
    outcome.status = Status::kOutOfMemory;
    outcome.reason = error.what();
    return outcome;
  } catch (const std::exception& error) {
    outcome.reason = error.what();
    return outcome;
  }
  const Reference reference(point.shape, point.distribution, point.seed, product);
  outcome.checks = reference.check(host.c.data(), 0);
  outcome.checks.push_back(check_inputs_unchanged(host.a.data(), host.b.data(), point.shape,
                                                  point.distribution, point.seed, 0, host.limit));
  outcome.status = status_of(outcome.checks, outcome.precision);
  if (outcome.status != Status::kOk) outcome.reason = "the first call's C is wrong";
  return outcome;
}

}  // namespace gemmlab
