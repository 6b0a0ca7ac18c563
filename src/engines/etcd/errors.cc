// SPDX-License-Identifier: Apache-2.0

#include "engines/etcd/errors.h"

#include <grpcpp/support/status.h>

#include <string_view>

namespace holdfast::etcd {
namespace {

bool says(const grpc::Status& status, std::string_view text) noexcept {
  return status.error_message().find(text) != std::string::npos;
}

bool is_untrusted(const grpc::Status& status) noexcept {
  const bool broken = says(status, "SSL_ERROR_SSL") && !says(status, " alert ") &&
                      !says(status, "wrong version");
  return broken || says(status, "not in peer certificate");
}

// gRPC has no code for a call that the server could not finish: because its time ran
// out there, or because the server lost its leader or was stopped.
bool is_unfinished(const grpc::Status& status) noexcept {
  const bool vague = status.error_code() == grpc::UNKNOWN ||
                     status.error_code() == grpc::INTERNAL ||
                     status.error_code() == grpc::ABORTED;
  return vague && (says(status, "context deadline exceeded") ||
                   says(status, "context canceled") || says(status, "raft") ||
                   says(status, "stopped"));
}

// gRPC tells a chain of events, and the one that caused the others comes last.
std::string cause_of(const std::string& text) {
  const auto last = text.rfind(": ");
  return last == std::string::npos ? text : text.substr(last + 2);
}

}  // namespace

Failure lease_ended(const std::string& server) {
  return {Errc::not_held, "the session's lease at " + server +
                              " has ended, and all claims with it: acquire them anew"};
}

bool is_unsent(const grpc::Status& status) noexcept {
  return status.error_code() == grpc::UNAVAILABLE &&
         (says(status, "failed to connect") || says(status, "onnection refused") ||
          says(status, "DNS resolution failed") || says(status, "resolver"));
}

bool is_of_this_member(const grpc::Status& status) noexcept {
  return status.error_code() == grpc::UNAVAILABLE || is_unfinished(status);
}

bool needs_new_token(const grpc::Status& status) noexcept {
  return says(status, "invalid auth token") || says(status, "user name is empty") ||
         says(status, "revision of auth store is old");
}

Failure failure_of(const grpc::Status& status, const std::string& where) {
  const std::string at = "etcd at " + where;
  const std::string& text = status.error_message();
  switch (status.error_code()) {
    case grpc::UNAVAILABLE:
      if (is_untrusted(status)) {
        return base::not_trusted(at, text);
      }
      if (is_unsent(status)) return base::cannot_reach(at, cause_of(text));
      return base::connection_lost(at, Errc::outcome_unknown, text);
    case grpc::DEADLINE_EXCEEDED:
    case grpc::CANCELLED:
      return base::not_answered(at, Errc::outcome_unknown);
    case grpc::NOT_FOUND:
      if (says(status, "lease")) return lease_ended(at);
      break;
    case grpc::PERMISSION_DENIED:
    case grpc::UNAUTHENTICATED:
      return base::user_refused(at, text);
    case grpc::INVALID_ARGUMENT:
      if (says(status, "authentication failed") || says(status, "user name is empty")) {
        return base::user_refused(at, text);
      }
      return {Errc::bad_argument,
              at + " refuses: " + text + "; ask for less, or for something else"};
    case grpc::RESOURCE_EXHAUSTED:
      if (says(status, "too many requests")) {
        return {Errc::unavailable, at + " is too busy: " + text + "; try again later"};
      }
      return {Errc::full, at + " has no room: " + text +
                              "; compact and defragment it, then disarm its alarm"};
    case grpc::UNIMPLEMENTED:
      return {Errc::incompatible,
              "what answers at " + where + " is not etcd 3: check the URL"};
    default:
      break;
  }
  if (is_unfinished(status)) {
    return {Errc::outcome_unknown, at + " has not finished a call: " + text +
                                       "; check that the cluster has a leader"};
  }
  return base::unknown_answer(at, text);
}

bool is_about_rights(const Failure& why) {
  return why.code == Errc::denied &&
         why.context.find("permission denied") != std::string::npos;
}

std::string hint_about_tls(const grpc::Status& status, const base::TlsOptions& tls) {
  const bool cut = says(status, "ocket closed") || says(status, "read failed") ||
                   says(status, "onnection reset") || says(status, "andshake");
  if (!is_unsent(status) || is_untrusted(status) || !cut) return "";
  if (!tls.on) return "; if it speaks TLS, the URL starts with etcds://";
  if (!tls.cert_file.empty()) return "; perhaps it does not speak TLS";
  return "; perhaps it does not speak TLS, or wants a certificate: ?cert= and ?key=";
}

Failure locked_otherwise(const std::string& key) {
  return {Errc::wrong_kind, key +
                                " is a key with a lease, and so a lock of another "
                                "library (python-etcd3?), which does not see ours; "
                                "use another prefix or name"};
}

Failure taken_by_another_client(const std::string& key) {
  return {Errc::wrong_kind, "another client has put the key " + key +
                                ", whose name is that of a claim of this client: "
                                "delete that key"};
}

}  // namespace holdfast::etcd
