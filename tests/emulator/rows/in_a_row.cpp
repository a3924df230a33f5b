// gpu.multi twice in a row, as work of the caller's stream among other work of it: copies into A and B before, from C and
// into A and B after it. And with one wait of all of them left out.

#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <utility>

#include "core/session_row.h"
#include "emulator/exports.h"
#include "gpu/describe.h"
#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/multi/implementation.h"
#include "gpu/gemm/multi/stream_plan.h"
#include "gpu/gemm/multi/stream_session.h"
#include "gpu/gemm/pipelined.h"
#include "gpu/gemm/shared_operands.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

/// What sessions that share operands have seen, of all cards.
struct Shared {
  std::int64_t round = 0;
  std::int64_t products = 0;
  std::int64_t taken = 0;  ///< operands that another session's product had prepared
  std::int64_t wrong = 0;  ///< of them those that it had not, in this round, as the last it did
};
Shared& shared() {
  static Shared counts;
  return counts;
}

/// Takes nothing from the sessions before it, but looks whether it could have.
class SharingSession : public GemmSession {
 public:
  SharingSession(const SessionsBefore& before, std::unique_ptr<Session> product)
      : first_(of(before.first)),
        same_a_(of(before.same_a)),
        same_b_(of(before.same_b)),
        product_(std::move(product)) {}

  void multiply(const float* a, const float* b, float* c) override {
    if (first_) shared().wrong += first_->round_ != shared().round;
    for (const auto& [other, is_same] :
         {std::pair{same_a_, same_a_ && same_a_->a_ == a}, std::pair{same_b_, same_b_ && same_b_->b_ == b}}) {
      if (!other) continue;
      ++shared().taken;
      shared().wrong += !is_same || other->round_ != shared().round || other->number_ < first_->number_;
    }
    gemmlab::multiply(*product_, a, b, c);
    a_ = a;
    b_ = b;
    round_ = shared().round;
    number_ = ++shared().products;
  }
  Facts chosen() const override { return product_->chosen(); }

 private:
  static const SharingSession* of(const Session* session) {
    return dynamic_cast<const SharingSession*>(session);
  }
  const SharingSession* first_;
  const SharingSession* same_a_;
  const SharingSession* same_b_;
  std::unique_ptr<Session> product_;
  const float* a_ = nullptr;
  const float* b_ = nullptr;
  std::int64_t round_ = 0;
  std::int64_t number_ = 0;
};

/// gpu.pipelined, as if its sessions made something of A and B, where a product has two rows at least.
class Sharing : public GemmImplementation, public SharesOperands {
 public:
  const Description& description() const override { return row().description(); }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    return row().why_not(shape, parameters);
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    return row().why_not_form(shape, form, parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return prepare_after({}, shape, form, parameters);
  }
  std::unique_ptr<Session> prepare_after(const SessionsBefore& before, const Shape& shape,
                                         const GemmForm& form, const Parameters& parameters) const override {
    return std::make_unique<SharingSession>(before, row().prepare_form(shape, form, parameters));
  }
  bool shares(const Shape& shape, const GemmForm&, const Parameters&) const override { return shape.m > 1; }

 private:
  static const GemmImplementation& row() { return static_cast<const GemmImplementation&>(pipelined()); }
};

Slower slower(const Parameters& parameters) {
  return integer(parameters, "slow_links") != 0 ? Slower::kLinks : Slower::kProduct;
}

const GemmImplementation& sharing() {
  static const Sharing implementation;
  return implementation;
}

/// `writes_far`: like gpu.multi_tensor, whose first card makes more of C, too.
MultiImplementation multi_with(Slower slower, bool writes_far) {
  return {describe({.id = "gpu.multi", .summary = "", .source = ""}),
          {writes_far ? sharing() : static_cast<const GemmImplementation&>(pipelined()), 2, slower,
           writes_far, writes_far ? 4 : 0}};
}

const MultiImplementation& usual() {
  static const MultiImplementation implementation = multi_with(Slower::kProduct, false);
  return implementation;
}

const MultiImplementation& inner(const Parameters& parameters) {
  static const MultiImplementation slow_links = multi_with(Slower::kLinks, false);
  static const MultiImplementation far = multi_with(Slower::kLinks, true);
  if (integer(parameters, "writes_far") != 0) return far;
  return slower(parameters) == Slower::kLinks ? slow_links : usual();
}

/// Parameters of gpu.multi, but that `operands` is called `start`: what is on the host there lies on the first card here, too,
/// where the emulator follows it.
Parameters inner_parameters(const Parameters& parameters) {
  Parameters its = parameters;
  its["operands"] = its.at("start");
  its.erase("start");
  its.erase("without_wait");
  its.erase("floats");
  its.erase("slow_links");
  its.erase("writes_far");
  return complete(usual().description(), its);
}

/// `floats` bounds what a card may hold, by less than a MiB.
std::unique_ptr<Session> made(const Shape& shape, const Parameters& parameters) {
  const std::int64_t floats = integer(parameters, "floats");
  if (floats == 0) return inner(parameters).prepare(shape, inner_parameters(parameters));
  const StreamPlan plan(shape, static_cast<int>(integer(parameters, "gpus")),
                        static_cast<int>(integer(parameters, "chunks")), floats, slower(parameters));
  std::unique_ptr<NcclExchange> nccl;
  if (text(parameters, "exchange") == "nccl") nccl = std::make_unique<NcclExchange>(plan.split().cards());
  return std::make_unique<StreamSession>(plan, static_cast<const GemmImplementation&>(pipelined()),
                                         std::move(nccl));
}

class TwiceInARow : public GemmSession {
 public:
  TwiceInARow(const Shape& shape, const Parameters& parameters)
      : shape_(shape),
        sharded_(text(parameters, "start") == "sharded"),
        without_wait_(static_cast<std::uint64_t>(integer(parameters, "without_wait"))),
        session_(made(shape, parameters)) {}

  void multiply(const float* a, const float* b, float* c) override {
    if (sharded_) {
      bring(a, b);
      session_->stage({gemm_operands(a_.floats(), b_.floats(), nullptr)});
    }
    gemmlab_emulation_leave_out_wait(without_wait_);
    for (int call = 0; call < 2; ++call) {
      if (!sharded_) bring(a, b);
      ++shared().round;
      gemmlab::multiply(*session_, a_.floats(), b_.floats(), c_.floats());
      copy(c, c_.floats(), c_.bytes());
    }
    places_.clear();
    for (std::uint64_t wait = 1; wait <= gemmlab_emulation_waits(); ++wait)
      places_ += std::to_string(gemmlab_emulation_place_of_wait(wait)) + " ";
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
    gemmlab_emulation_leave_out_wait(0);
  }
  Facts chosen() const override {
    const Facts its = session_->chosen();
    const auto writing = its.find("cards_writing_c");
    return {{"places", places_},
            {"shares_taken", shared().taken},
            {"shares_wrong", shared().wrong},
            {"cards_writing_c", writing == its.end() ? Fact{std::int64_t{0}} : writing->second},
            {"failed_calls", static_cast<std::int64_t>(gemmlab_emulation_failed_calls() - failed_before_)},
            {"cards_at_work", std::int64_t{cards_at_work()}}};
  }

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, current_stream()));
  }
  void bring(const float* a, const float* b) const {
    copy(a_.data(), a, a_.bytes());
    copy(b_.data(), b, b_.bytes());
  }
  static std::size_t bytes(std::int64_t floats) { return sizeof(float) * static_cast<std::size_t>(floats); }

  std::uint64_t failed_before_ = gemmlab_emulation_failed_calls();
  Shape shape_;
  bool sharded_;
  std::uint64_t without_wait_;
  DeviceMemory a_{bytes(shape_.a_count())};
  DeviceMemory b_{bytes(shape_.b_count())};
  DeviceMemory c_{bytes(shape_.c_count())};
  std::unique_ptr<Session> session_;
  std::string places_;  ///< of all waits
};

class InARow : public GemmImplementation {
 public:
  InARow() {
    for (ParameterSpec one : usual().description().parameters) {
      if (one.name == "operands") one.name = "start";
      description_.parameters.push_back(one);
    }
    for (const char* name : {"floats", "slow_links", "writes_far", "without_wait"}) {
      ParameterSpec more;
      more.name = name;
      more.maximum = 1'000'000;
      more.default_value = std::int64_t{0};
      description_.parameters.push_back(more);
    }
  }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    return inner(parameters).why_not(shape, inner_parameters(parameters));
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return std::make_unique<TwiceInARow>(shape, parameters);
  }

 private:
  Description description_ = describe({.id = "gpu.multi_in_a_row", .summary = "", .source = ""});
};

}  // namespace

const Implementation& multi_in_a_row() {
  static const InARow implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
