#pragma once

// What a handle has prepared for the products that came up.

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "api/device.h"
#include "operations/gemm/batch.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::api {

/// What multiplies, and how its parameters were written.
struct Choice {
  const Implementation* row = nullptr;
  std::string parameters;
};
bool is_gpu(const Choice& choice);
/// "gpu.tiled block=16"; the parameters are not looked at. Throws Refusal where there is no such row.
Choice choice_from(const std::string& text);

/// All that a session is made for.
struct Purpose {
  Choice choice;
  Shape shape;
  GemmForm form;
  void* stream = nullptr;
  std::int64_t count = 1;  ///< more where the session is the whole batch's, with these strides
  BatchStrides strides = {};
  GemmTypes types = {};
  std::optional<ElementType> bias = {};  ///< the type of what is added to each row of C

  bool operator==(const Purpose& other) const;
};
struct PurposeHash {
  std::size_t operator()(const Purpose& purpose) const;
};

/// What the purpose's product is, without its bias.
Instance instance_of(const Purpose& purpose);
/// What is multiplied before a bias is added: to float32, which C holds itself, or memory of the session.
Purpose product_before_bias(const Purpose& purpose);

/// A session, and where its memory is from.
struct Prepared {
  Purpose purpose;
  std::shared_ptr<Workspace> lender;  ///< nullptr: the device
  std::size_t bytes = 0;
  int device = 0;  ///< of a library's
  std::unique_ptr<Session> session;
};

/// In the purpose's stream, which is current. Throws Refusal where the implementation refuses, or its memory does
/// not fit the lender's. `whole`: may a batch take memory for all its products?
std::shared_ptr<Prepared> prepare(const Purpose& purpose, const std::shared_ptr<Workspace>& lender,
                                  bool whole = true);

/// Libraries' sessions that nobody holds any more are set aside (see SetAside in sessions.cpp). To end them waits for
/// the device, and takes its lock (handle.cpp).
bool any_set_aside();
void end_set_aside();

/// Those of one handle. What has memory on a device is taken and given back under the device's lock
/// (handle.cpp). One that somebody else holds, too, a graph, lives on where it is forgotten here.
class Sessions {
 public:
  /// The one for this purpose; made now where there is none, from the lender's memory if one is given.
  /// `captured`: is the purpose's stream being captured?
  std::shared_ptr<Prepared> of(const Purpose& purpose, const std::shared_ptr<Workspace>& lender,
                               bool captured);
  void forget_of(const std::shared_ptr<Workspace>& lender);
  void forget_all();

 private:
  using Kept = std::list<std::shared_ptr<Prepared>>;

  std::shared_ptr<Prepared> made_on_device(const Purpose& purpose, const std::shared_ptr<Workspace>& lender);
  std::shared_ptr<Prepared> made_in_memory(const Purpose& purpose, const std::shared_ptr<Workspace>& lender,
                                           bool whole);
  void keep(std::shared_ptr<Prepared> made);
  void forget(Kept::iterator one);

  Kept kept_;                  ///< latest first
  std::size_t own_bytes_ = 0;  ///< of those kept, in no lender's memory
  std::unordered_map<Purpose, Kept::iterator, PurposeHash> by_purpose_;
};

/// Work of gpu/ goes into this stream while the object lives.
class InStream {
 public:
  explicit InStream(void* stream);
  ~InStream();
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;
};

}  // namespace gemmlab::api
