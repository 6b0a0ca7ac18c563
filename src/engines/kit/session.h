// SPDX-License-Identifier: Apache-2.0

// engines/kit/session.h - the waist's session, over what the resources of a session
// share.
//
//   using EtcdSession = kit::Session<Backend>;  // `Backend`: see SessionBackend
//
// It checks names and hands every call on. It is as safe for concurrent use as these
// calls are. There is no more in it than any engine with a backend needs: an engine
// that has a `sweep` or a `liveness_fd` derives from it.

#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/engine/session.h"
#include "holdfast/names.h"

namespace holdfast::kit {

// What the resources of one session share. It has two members, and beside it in the
// engine's namespace stand four functions. Each does what engine::Session says of the
// call that is named here.
//   traits_of       `traits`; it throws nothing
//   make_resource   `bind`, of an address whose name has been checked
//   renew_all       `renew`
//   list_names      `list`
//   warnings        `warnings`
//   descriptions    `servers`
template <class Backend>
concept SessionBackend = requires(const std::shared_ptr<Backend>& shared,
                                  Backend& backend, const Backend& opened,
                                  const engine::Address& address, engine::Kind kind,
                                  std::span<engine::ClaimRef> refs,
                                  std::string_view text, engine::Deadline until) {
  { traits_of(opened, kind) } -> std::same_as<engine::Traits>;
  {
    make_resource(shared, address)
    } -> std::same_as<Result<std::shared_ptr<engine::Resource>>>;
  { renew_all(backend, refs, until) } -> std::same_as<Result<void>>;
  { list_names(backend, text, text, until) } -> std::same_as<Result<engine::Page>>;
  { opened.warnings() } -> std::convertible_to<std::vector<std::string>>;
  {
    opened.descriptions()
    } -> std::convertible_to<std::vector<engine::ServerDescription>>;
};

// For `list_names` where a page begins behind a name: a page has at most so many names.
constexpr std::size_t kPage = 100;

// Adds an address to the page. If that is full, says in `next` where the next one
// begins.
inline void add_to(engine::Page& page, engine::Address address) {
  if (page.addresses.size() == kPage) {
    page.next = page.addresses.back().name;
  } else {
    page.addresses.push_back(std::move(address));
  }
}

template <SessionBackend Backend>
class Session : public engine::Session {
 public:
  explicit Session(std::shared_ptr<Backend> backend) noexcept
      : backend_(std::move(backend)) {}

  engine::Traits traits(engine::Kind kind) const noexcept final {
    return traits_of(std::as_const(*backend_), kind);
  }
  Result<std::shared_ptr<engine::Resource>> bind(const engine::Address& address) final {
    if (auto good = check_name(address.name); !good) return std::move(good).error();
    return make_resource(backend_, address);
  }
  Result<void> renew(std::span<engine::ClaimRef> refs, engine::Deadline until) final {
    return renew_all(*backend_, refs, until);
  }
  Result<engine::Page> list(std::string_view prefix, std::string_view from,
                            engine::Deadline until) final {
    return list_names(*backend_, prefix, from, until);
  }
  std::vector<std::string> warnings() const final { return backend_->warnings(); }
  std::vector<engine::ServerDescription> servers() const final {
    return backend_->descriptions();
  }

 protected:
  Backend& backend() const noexcept { return *backend_; }

 private:
  const std::shared_ptr<Backend> backend_;
};

}  // namespace holdfast::kit
