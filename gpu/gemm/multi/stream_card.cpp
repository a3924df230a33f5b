#include "gpu/gemm/multi/stream_card.h"

#include "gpu/device/check.h"
#include "gpu/gemm/shared_operands.h"

namespace gemmlab::gpu {

StreamCard::StreamCard(const StreamPlan& plan, int card, const GemmImplementation& inner)
    : plan_(plan),
      card_(card),
      a_(bytes_of(plan.a_floats())),
      b_(bytes_of(plan.b_floats())),
      c_(bytes_of(plan.c_floats())),
      products_(plan.steps().size()) {
  for (std::size_t number = 0; number < products_.size(); ++number) {
    Product& product = products_[number];
    const StreamStep& step = step_at(number);
    product.rows = plan_.rows(card_, step);
    product.cols = plan_.cols(card_, step);
    if (product.rows.count > 0 && product.cols.count > 0) product.session = session_of(number, inner);
  }
}

Session* StreamCard::session_of(std::size_t number, const GemmImplementation& inner) {
  const StreamStep& step = step_at(number);
  const Shape shape{products_[number].rows.count, products_[number].cols.count, step.k.count};
  const Session* const before = with_same_b(number);
  std::unique_ptr<Session>& session =
      sessions_[{shape.m, shape.n, shape.k, step.k_of_a.count, step.adds, before}];
  if (!session) {
    const IntoStream here(multiplying_.get());
    const GemmForm form = plan_.form(shape, step);
    const Parameters parameters = complete(inner.description(), {});
    const auto* shares = dynamic_cast<const SharesOperands*>(&inner);
    session = shares != nullptr && before != nullptr
                  ? shares->prepare_after({before, nullptr, before}, shape, form, parameters)
                  : inner.prepare_form(shape, form, parameters);
  }
  return session.get();
}

const Session* StreamCard::with_same_b(std::size_t number) const {
  const Stretch all{0, plan_.shape().k};
  if (plan_.goes_round() || !(step_at(number).k == all)) return nullptr;
  for (std::size_t earlier = 0; earlier < number; ++earlier) {
    if (step_at(earlier).k == all && products_[earlier].session != nullptr) return products_[earlier].session;
  }
  return nullptr;
}

float* StreamCard::place_of_a(const StreamStep& step, std::int64_t row) const {
  return a_.floats() + step.a_at + (row - plan_.rows(card_, step).from) * stride_on_card(step.k_of_a.count);
}

float* StreamCard::place_of_b(std::int64_t row) const {
  return b_.floats() + row * plan_.line_of_b();
}

template <typename Visit>
void StreamCard::with_others(bool of_a, const Visit& visit) const {
  const Split& split = plan_.split();
  const int count = of_a ? split.grid().cols : split.grid().rows;
  const int row = split.row_of(card_);
  const int col = split.col_of(card_);
  for (int next = 1; next < count; ++next)
    visit(of_a ? split.card_at(row, (col + next) % count) : split.card_at((row + next) % count, col));
}

void StreamCard::begin(const CardEvent& fork) const {
  const OnCard here(card_);
  for (const CardStream* stream : {&arriving_, &fetching_, &multiplying_, &to_host_})
    fork.wait_in(stream->get());
  clock_.begin(multiplying_.get());
}

void StreamCard::load(std::size_t number, const OperandPair& host, const All& cards) const {
  const OnCard here(card_);
  const StreamStep& step = step_at(number);
  const cudaStream_t stream = arriving_.get();
  // memory is free when this card has multiplied what lay there, and the others have fetched it
  if (step.a_after >= 0) {
    at(step.a_after).done.wait_in(stream);
    with_others(true, [&](int other) {
      cards[static_cast<std::size_t>(other)]->at(step.a_after).there.wait_in(stream);
    });
  }
  if (step.b_after >= 0) {
    at(step.b_after).done.wait_in(stream);
    with_others(false, [&](int other) {
      cards[static_cast<std::size_t>(other)]->at(step.b_replaced).there.wait_in(stream);
    });
  }
  const Shape& shape = plan_.shape();
  const Stretch cols = plan_.cols(card_, step);
  const Stretch of_b = plan_.own_of_b(card_, step);
  copy_rows({place_of_b(of_b.from), plan_.line_of_b(), card_},
            {host.b + of_b.from * shape.n + cols.from, shape.n, kHostMemory}, of_b.count, cols.count, stream);
  const Stretch of_a = plan_.own_of_a(card_, step);
  copy_rows({place_of_a(step, of_a.from), stride_on_card(step.k_of_a.count), card_},
            {host.a + of_a.from * shape.k + step.k_of_a.from, shape.k, kHostMemory}, of_a.count,
            step.k_of_a.count, stream);
  products_[number].own_there.record(stream);
}

std::vector<Way> StreamCard::ways(std::size_t number, const All& cards) const {
  const StreamStep& step = step_at(number);
  std::vector<Way> all;
  const auto get = [&](bool of_a, int other) {
    const StreamCard& owner = *cards[static_cast<std::size_t>(other)];
    const Stretch lines = of_a ? plan_.own_of_a(other, step) : plan_.own_of_b(other, step);
    const std::int64_t line = of_a ? stride_on_card(step.k_of_a.count) : plan_.line_of_b();
    const auto place = [&](const StreamCard& card) {
      return of_a ? card.place_of_a(step, lines.from) : card.place_of_b(lines.from);
    };
    all.push_back({other, place(owner), card_, place(*this), lines.count * line});
  };
  if (step.brings_b && plan_.needs_b(card_, step)) with_others(false, [&](int other) { get(false, other); });
  if (step.brings_a && products_[number].session != nullptr)
    with_others(true, [&](int other) { get(true, other); });
  return all;
}

void StreamCard::fetch(std::size_t number, const All& cards) const {
  const OnCard here(card_);
  const cudaStream_t stream = fetching_.get();
  // and for what that has waited for: the places of the others' shares are free, too
  products_[number].own_there.wait_in(stream);
  for (const Way& way : ways(number, cards)) {
    cards[static_cast<std::size_t>(way.from_card)]->products_[number].own_there.wait_in(stream);
    copy_rows({way.to, way.floats, card_}, {way.from, way.floats, way.from_card}, 1, way.floats, stream);
  }
  arrived(number);
}

void StreamCard::await_own(std::size_t number) const {
  const OnCard here(card_);
  products_[number].own_there.wait_in(fetching_.get());
}

void StreamCard::arrived(std::size_t number) const {
  const OnCard here(card_);
  products_[number].there.record(fetching_.get());
  if (number + 1 == products_.size()) clock_.all_there(fetching_.get());
}

void StreamCard::multiply(std::size_t number, float* c) const {
  const OnCard here(card_);
  const StreamStep& step = step_at(number);
  const Product& product = products_[number];
  const cudaStream_t stream = multiplying_.get();
  product.there.wait_in(stream);
  if (step.c_after >= 0) at(step.c_after).sent.wait_in(stream);
  float* const made = c_.floats() + step.c_at;
  product.begun.record(stream);
  if (product.session != nullptr) {
    const IntoStream products(stream);
    const float* const a = place_of_a(step, product.rows.from) + (step.k.from - step.k_of_a.from);
    gemmlab::multiply(*product.session, a, place_of_b(step.k.from), made);
  }
  product.done.record(stream);
  if (!step.completes) return;
  product.done.wait_in(to_host_.get());
  const std::int64_t n = plan_.shape().n;
  copy_rows({c + product.rows.from * n + product.cols.from, n, kHostMemory},
            {made, stride_on_card(product.cols.count), card_}, product.rows.count, product.cols.count,
            to_host_.get());
  product.sent.record(to_host_.get());
}

void StreamCard::join(cudaStream_t stream) const {
  const OnCard here(card_);
  clock_.join({arriving_.get(), fetching_.get(), multiplying_.get()}, to_host_.get(), stream);
}

CardTimes StreamCard::times() const {
  const OnCard here(card_);
  return clock_.times(products_);
}

}  // namespace gemmlab::gpu
