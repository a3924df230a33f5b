// C = A·B on several cards by cuBLASMp, which gathers A behind the product: a card has rows of A and columns of B, and makes these
// columns of C, which are then put together on the first card as gpu.multi does it. Calls are one per card, each in a thread of
// its own, as each waits for the others; a graph cannot hold them.

#include "gpu/libraries/cublasmp.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/multi/exchange.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/parameters.h"
#include "gpu/gemm/multi/split.h"
#include "gpu/gemm/session.h"
#include "gpu/table.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

/// What takes a card over 1 ms, so that it is launched, not replayed from a graph.
constexpr double kLeastPerCard = 1e11;

/// Blocks go round the cards: each has one, the last ones less or none.
Stretch block_of(std::int64_t whole, int cards, int card) {
  const std::int64_t block = ceil_div(whole, cards);
  const std::int64_t from = std::min(whole, block * card);
  return {from, std::min(whole, from + block) - from};
}

/// One card's part of a product: what it has of the matrices, and the library's objects.
///
/// Row-major C is column-major Cᵀ = Bᵀ·Aᵀ, so to the library the first matrix is Bᵀ, by blocks of rows, the second Aᵀ, by blocks of
/// columns, and the cards are a column of a grid to the one, a row to the other.
class MpCard {
 public:
  MpCard(const Shape& shape, int cards, int card, Nccl::Communicator communicator, bool registered)
      : shape_(shape),
        card_(card),
        rows_(block_of(shape.m, cards, card)),
        cols_(block_of(shape.n, cards, card)),
        c_(bytes_of(std::max<std::int64_t>(shape.m * cols_.count, 1))) {
    const CublasMp& mp = cublasmp_calls();
    handle_ = mp.create(stream_.get());
    column_ = mp.create_grid(cards, 1, communicator);
    row_ = mp.create_grid(1, cards, communicator);
    const std::int64_t block_rows = ceil_div(shape.m, cards);
    const std::int64_t block_cols = ceil_div(shape.n, cards);
    const std::int64_t stride = std::max<std::int64_t>(cols_.count, 1);
    b_matrix_ = mp.create_matrix({shape.n, shape.k, block_cols, shape.k, stride}, column_);
    a_matrix_ = mp.create_matrix({shape.k, shape.m, shape.k, block_rows, shape.k}, row_);
    c_matrix_ = mp.create_matrix({shape.n, shape.m, block_cols, block_rows, stride}, column_);
    product_ = mp.create_product();
    workspace_ = mp.workspace(call({c_.floats(), c_.floats()}));
    const std::size_t bytes = std::max<std::size_t>(workspace_.device_bytes, 1);
    if (registered) {
      shared_ = mp.allocate(column_, bytes);
    } else {
      own_ = std::make_unique<DeviceMemory>(bytes);
    }
    host_.resize(workspace_.host_bytes);
  }
  MpCard(const MpCard&) = delete;
  MpCard& operator=(const MpCard&) = delete;

  /// Instead of a destructor, as all cards have to do it at once.
  void end() {
    const CublasMp& mp = cublasmp_calls();
    cudaStreamSynchronize(stream_.get());
    if (shared_ != nullptr) mp.release(column_, shared_);
    mp.destroy_product(product_);
    for (const CublasMp::Pointer matrix : {a_matrix_, b_matrix_, c_matrix_}) mp.destroy_matrix(matrix);
    mp.destroy_grid(row_);
    mp.destroy_grid(column_);
    mp.destroy(handle_);
  }

  /// Its parts of A and B, in memory of its own.
  struct Parts {
    std::unique_ptr<DeviceMemory> a;
    std::unique_ptr<DeviceMemory> b;
  };
  Parts room() const {
    const auto floats = [](std::int64_t count) {
      return std::make_unique<DeviceMemory>(bytes_of(std::max<std::int64_t>(count, 1)));
    };
    return {floats(rows_.count * shape_.k), floats(cols_.count * shape_.k)};
  }
  void bring(const OperandPair& source, const Parts& parts) const {
    const std::int64_t k = shape_.k;
    copy_rows({parts.a->floats(), k, card_}, {source.a + rows_.from * k, k, 0}, rows_.count, k,
              stream_.get());
    copy_rows({parts.b->floats(), cols_.count, card_}, {source.b + cols_.from, shape_.n, 0}, k, cols_.count,
              stream_.get());
  }
  Parts stage(const OperandPair& source) const {
    Parts parts = room();
    bring(source, parts);
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_.get()));
    return parts;
  }

  void begin(const CardEvent& fork) const { fork.wait_in(stream_.get()); }
  void multiply(const Parts& parts, float* c) {
    void* const memory = shared_ != nullptr ? shared_ : own_->data();
    cublasmp_calls().multiply(call({parts.a->floats(), parts.b->floats()}), workspace_, memory, host_.data());
    copy_rows({c + cols_.from, shape_.n, 0}, {c_.floats(), cols_.count, card_}, shape_.m, cols_.count,
              stream_.get());
    done_.record(stream_.get());
  }
  void join(cudaStream_t stream) const { done_.wait_in(stream); }
  std::int64_t workspace_bytes() const { return static_cast<std::int64_t>(workspace_.device_bytes); }

 private:
  CublasMp::Call call(const OperandPair& parts) const {
    CublasMp::Call call;
    call.handle = handle_;
    call.product = product_;
    call.m = shape_.n;
    call.n = shape_.m;
    call.k = shape_.k;
    call.a = parts.b;
    call.a_matrix = b_matrix_;
    call.b = parts.a;
    call.b_matrix = a_matrix_;
    call.d = c_.floats();
    call.d_matrix = c_matrix_;
    return call;
  }

  Shape shape_;
  int card_;
  Stretch rows_;  ///< of A
  Stretch cols_;  ///< of B and C
  CardStream stream_;
  CardEvent done_;
  DeviceMemory c_;
  CublasMp::Pointer handle_ = nullptr;
  CublasMp::Pointer column_ = nullptr;
  CublasMp::Pointer row_ = nullptr;
  CublasMp::Pointer a_matrix_ = nullptr;
  CublasMp::Pointer b_matrix_ = nullptr;
  CublasMp::Pointer c_matrix_ = nullptr;
  CublasMp::Pointer product_ = nullptr;
  CublasMp::Workspace workspace_;
  void* shared_ = nullptr;
  std::unique_ptr<DeviceMemory> own_;
  std::vector<char> host_;
};

/// Calls `work` with each card's number, in a thread of its own with that card current; throws what the first of them threw.
void on_each(int cards, const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(cards));
  std::vector<std::thread> threads;
  for (int card = 0; card < cards; ++card) {
    threads.emplace_back([&, card] {
      try {
        const OnCard here(card);
        work(card);
      } catch (...) {
        failed[static_cast<std::size_t>(card)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& one : failed) {
    if (one) std::rethrow_exception(one);
  }
}

class CublasMpSession : public GemmSession {
 public:
  CublasMpSession(const Shape& shape, const Parameters& parameters)
      : sharded_(text(parameters, "operands") == "sharded"),
        cards_(static_cast<std::size_t>(integer(parameters, "gpus"))),
        brought_(sharded_ ? 0 : cards_.size()) {
    const auto count = static_cast<int>(cards_.size());
    enable_peers(count);
    const std::vector<Nccl::Communicator>& communicators = communicators_of(count);
    const bool registered = text(parameters, "workspace") == "registered";
    on_each(count, [&](int card) {
      at(card) = std::make_unique<MpCard>(shape, count, card, communicators[static_cast<std::size_t>(card)],
                                          registered);
      if (!sharded_) brought_[static_cast<std::size_t>(card)] = at(card)->room();
    });
  }
  ~CublasMpSession() override {
    try {
      on_each(static_cast<int>(cards_.size()), [&](int card) {
        at(card)->end();
        at(card).reset();
      });
    } catch (...) {  // the library's objects stay behind
    }
  }
  CublasMpSession(const CublasMpSession&) = delete;
  CublasMpSession& operator=(const CublasMpSession&) = delete;

  void stage(const std::vector<OperandPair>& pairs) override {
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));  // what still runs may read what lay there
    staged_.clear();
    for (const OperandPair& pair : pairs) {
      std::vector<MpCard::Parts>& parts = staged_[{pair.a, pair.b}];
      for (std::size_t card = parts.size(); card < cards_.size(); ++card) {
        const OnCard here(static_cast<int>(card));
        parts.push_back(cards_[card]->stage(pair));
      }
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    const auto found = staged_.find({a, b});
    if (sharded_ && found == staged_.end()) throw std::logic_error("these operands have not been staged");
    const std::vector<MpCard::Parts>& parts = sharded_ ? found->second : brought_;
    const cudaStream_t stream = current_stream();
    fork_.record(stream);
    on_each(static_cast<int>(cards_.size()), [&](int card) {
      const MpCard::Parts& its = parts[static_cast<std::size_t>(card)];
      at(card)->begin(fork_);
      if (!sharded_) at(card)->bring({a, b}, its);
      at(card)->multiply(its, c);
    });
    for (const auto& card : cards_) card->join(stream);
    cards_at_work() = static_cast<int>(cards_.size());
  }

  Facts chosen() const override {
    return {{"library", cublasmp_calls().path()},
            {"version", cublasmp_calls().version()},
            {"nccl_version", nccl().version()},
            {"workspace_bytes", cards_.front()->workspace_bytes()}};
  }

 private:
  std::unique_ptr<MpCard>& at(int card) { return cards_[static_cast<std::size_t>(card)]; }

  bool sharded_;
  CardEvent fork_;
  std::vector<std::unique_ptr<MpCard>> cards_;
  std::vector<MpCard::Parts>
      brought_;  ///< of each card, anew in each call; none where the operands are sharded
  std::map<std::pair<const float*, const float*>, std::vector<MpCard::Parts>> staged_;
};

class CublasMpRow : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override {
    if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
    if (!nccl().why_not().empty()) return nccl().why_not();
    const std::string& reason = cublasmp_calls().why_not();
    const bool lacks = reason.find("undefined symbol: nccl") != std::string::npos;
    return lacks ? reason + "; it wants a newer NCCL than " + nccl().version() +
                       ", which GEMMLAB_NCCL=FILE may name"
                 : reason;
  }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    if (std::string reason = too_long(shape); !reason.empty()) return reason;
    if (std::string reason = too_few_cards(parameters); !reason.empty()) return reason;
    if (shape.flop() >= kLeastPerCard * static_cast<double>(integer(parameters, "gpus"))) return {};
    return "under 1e11 operations per card, whose calls would be replayed from a graph, which cannot hold "
           "cuBLASMp's";
  }
  bool operands_resident(const Parameters& parameters) const override {
    return text(parameters, "operands") == "sharded";
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    if (const std::string reason = too_few_cards(parameters); !reason.empty())
      throw std::runtime_error(reason);
    if (const std::string reason = unavailable(); !reason.empty()) throw std::runtime_error(reason);
    return std::make_unique<CublasMpSession>(shape, parameters);
  }

 private:
  Description description_ = describe(
      {.id = "gpu.cublasmp",
       .name = "cuBLASMp",
       .summary = "cuBLASMp's cublasMpMatmul on several cards",
       .source = "NVIDIA cuBLASMp, opened at run time",
       .reference = true,
       .parameters = {
           gpus_parameter(),
           choice("operands",
                  "first: A and B lie on the first card, and their way to the others counts; sharded: "
                  "each card has its own part of A and B before the clock starts; C goes to the first card",
                  {std::string("first"), std::string("sharded")}, std::string("first"), ", {operands}"),
           choice("workspace",
                  "registered: the cards see each other's workspace, so that the library may gather "
                  "while it multiplies; plain: the one after the other",
                  {std::string("registered"), std::string("plain")}, std::string("registered"),
                  ", {workspace} workspace")}});
};

}  // namespace

const Implementation& cublasmp() {
  static const CublasMpRow implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
