// A callee whose card is this processor: windows without a GPU. Its kernels are those of the judge's side.

#include <time.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "submissions/callee/callee.h"
#include "submissions/callee/memory.h"
#include "submissions/diagnosis/diagnosis.h"
#include "submissions/judge/inputs/sealed.h"
#include "submissions/judge/inputs/timed_inputs.h"

namespace gemmlab::submissions {
namespace {

/// The card's own clock: others do not slow it down.
double card_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class FakeCard : public CallBench {
 public:
  FakeCard(const Rooms& rooms, bool writable) : memory_(rooms, writable) {}

  void call(const Request&, Callable&, Reply&) override { throw std::runtime_error("windows only"); }
  void look(const Request&, Reply&) override {}

  void window(const Request& request, Callable& callable, Reply& reply) override {
    const Shape shape{request.m, request.n, request.k};
    const auto count = static_cast<std::size_t>(shape.c_count());
    if (request.ask == Ask::kPrepare) {
      cs_.assign(static_cast<std::size_t>(request.calls), std::vector<float>(count, -1));
      a_.resize(static_cast<std::size_t>(shape.a_count()));
      b_.resize(static_cast<std::size_t>(shape.b_count()));
    } else if (request.ask == Ask::kBring) {
      const std::vector<float>& c = cs_.at(static_cast<std::size_t>(request.number));
      memory_.open_c();
      std::copy(c.begin(), c.end(), static_cast<float*>(memory_.at(2, 0)));
    } else {
      run(request, shape, callable, reply);
    }
  }

 private:
  void run(const Request& request, const Shape& shape, Callable& callable, Reply& reply) {
    Seal previous{};
    double sum_s = 0;
    for (std::size_t i = 0; i < cs_.size(); ++i) {
      Secret::Key key{};
      inputs_key(request.key, previous, key.data());
      fill_uniform(a_.data(), shape.a_count(), Secret::of(key), {0, 0, 0});
      fill_uniform(b_.data(), shape.b_count(), Secret::of(key), {1, 0, 0});
      const double begin_s = card_s();
      callable.call(shape, a_.data(), b_.data(), cs_[i].data());
      sum_s += card_s() - begin_s;
      previous = reply.seals[i] = seal_of(cs_[i].data(), shape.c_count(), request.key, previous);
    }
    reply.seconds = sum_s / request.calls;
  }

  CalleeMemory memory_;
  std::vector<float> a_, b_;
  std::vector<std::vector<float>> cs_;
};

class Nothing : public Callable {
 public:
  void call(const Shape&, const void*, const void*, void*) override {}
};

}  // namespace
}  // namespace gemmlab::submissions

int main() {
  using namespace gemmlab::submissions;
  return callee_main({{},
                      [](const Rooms& rooms, bool writable) -> std::unique_ptr<CallBench> {
                        return std::make_unique<FakeCard>(rooms, writable);
                      },
                      [] { return std::make_unique<Nothing>(); }});
}
