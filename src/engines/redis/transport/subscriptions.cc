// SPDX-License-Identifier: Apache-2.0

#include "engines/redis/transport/subscriptions.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/common_failures.h"
#include "engines/redis/errors.h"
#include "engines/redis/transport/command.h"

namespace holdfast::redis {
namespace {

std::string spelt(std::string_view command, const std::string& channel) {
  std::string out;
  Command(out, 2).add(command).add(channel);
  return out;
}

Failure has_moved(const std::string& channel) {
  return {Errc::unavailable, "the slot of the channel " + base::in_quotes(channel) +
                                 " has moved to another server: try again"};
}

}  // namespace

bool Subscriptions::is_confirmed(const std::string& name) const {
  const auto found = channels_.find(name);
  return found != channels_.end() && found->second->state == Channel::State::confirmed;
}

std::shared_ptr<Channel> Subscriptions::add(const std::string& name,
                                            std::shared_ptr<ChannelListener> subscriber,
                                            std::string& out) {
  const auto found = channels_.find(name);
  std::shared_ptr<Channel> channel;
  if (found == channels_.end()) {
    channel = std::make_shared<Channel>();
    channel->busy.push_back(name);
    channel->position = channel->busy.begin();
  } else {
    channel = found->second;
  }
  auto& subscribers = channel->subscribers;
  if (std::find(subscribers.begin(), subscribers.end(), subscriber) ==
      subscribers.end()) {
    subscribers.push_back(std::move(subscriber));
  }
  if (found == channels_.end()) {
    channels_.emplace(name, channel);
  } else {
    leave_idle(*channel);
  }
  if (channel->state == Channel::State::none) request(name, *channel, out);
  return channel;
}

std::shared_ptr<ChannelListener> Subscriptions::remove(
    const std::string& name, const ChannelListener& subscriber, Clock::time_point now,
    std::string& out) noexcept {
  const auto found = channels_.find(name);
  if (found == channels_.end()) return nullptr;
  Channel& channel = *found->second;
  const auto at =
      std::find_if(channel.subscribers.begin(), channel.subscribers.end(),
                   [&](const auto& one) { return one.get() == &subscriber; });
  if (at == channel.subscribers.end()) return nullptr;

  auto gone = std::exchange(*at, std::move(channel.subscribers.back()));
  channel.subscribers.pop_back();
  if (channel.subscribers.empty()) {
    channel.gap = false;
    channel.idle_since = now;
    become_idle(channel, idle_.end());
    sweep(now, out);
  }
  return gone;
}

void Subscriptions::leave_idle(Channel& channel) noexcept {
  if (channel.busy.empty())
    channel.busy.splice(channel.busy.end(), idle_, channel.position);
}

void Subscriptions::become_idle(Channel& channel,
                                std::list<std::string>::iterator before) noexcept {
  idle_.splice(before, channel.busy);
}

void Subscriptions::sweep(Clock::time_point now, std::string& out) noexcept {
  while (!idle_.empty()) {
    const auto found = channels_.find(idle_.front());
    const Channel& channel = *found->second;
    const bool old = now - channel.idle_since >= kIdle || idle_.size() > kMostIdle;
    // The answer under way belongs to this Channel, and must not reach the next one of
    // the same name.
    if (!old || channel.state == Channel::State::requested) return;
    if (channel.state == Channel::State::confirmed) {
      try {
        out.append(spelt(unsubscribe_, found->first));
      } catch (const std::exception&) {
        return;
      }
    }
    channels_.erase(found);
    idle_.pop_front();
  }
}

void Subscriptions::broke() {
  requested_.clear();
  for (auto& [name, channel] : channels_) {
    channel->state = Channel::State::none;
    channel->gap = true;
  }
}

void Subscriptions::begin_again(std::string& out) {
  requested_.clear();
  for (auto& [name, channel] : channels_) {
    channel->state = Channel::State::none;
    if (!channel->subscribers.empty()) request(name, *channel, out);
  }
}

void Subscriptions::refuse(const Failure& why) {
  broke();
  for (auto& [name, channel] : channels_) {
    channel->refused = why;
    channel->changed.notify_all();
  }
}

void Subscriptions::report_gap() {
  for (auto& [name, channel] : channels_) {
    for (const auto& subscriber : channel->subscribers) subscriber->on_gap();
  }
}

Result<void> Subscriptions::handle(ReplyView said) {
  const std::string_view what = said[0].text();
  if (what == "message" || what == "smessage") {
    const auto found = channels_.find(said[1].text());
    if (found == channels_.end()) return {};
    for (const auto& subscriber : found->second->subscribers) {
      subscriber->on_message(said[2].text());
    }
    return {};
  }
  if (what == "subscribe" || what == "ssubscribe" || said.is_error()) {
    if (requested_.empty()) {
      return said.is_error() ? failure_of(said, server_)
                             : Failure(Errc::incompatible, "an answer out of turn");
    }
    answer(said);
    return {};
  }
  if (what == "sunsubscribe") {
    end(said[1].text());
    return {};
  }
  if (what == "unsubscribe" || what == "pong" || said.text() == "PONG") return {};
  return Failure(Errc::incompatible, "it does not answer as Redis does");
}

void Subscriptions::request(const std::string& name, Channel& channel,
                            std::string& out) {
  const std::string command = spelt(subscribe_, name);
  out.reserve(out.size() + command.size());
  requested_.push_back(name);
  out.append(command);
  channel.state = Channel::State::requested;
  channel.refused.reset();
}

// The answer to a request of ours comes when the channel is gone, or requested again.
// Otherwise the slot has left the server.
void Subscriptions::end(std::string_view name) {
  const auto found = channels_.find(name);
  if (found == channels_.end()) return;
  Channel& channel = *found->second;
  if (channel.state != Channel::State::confirmed) return;
  channel.state = Channel::State::none;
  channel.gap = true;
  misplaced_ = true;
}

std::vector<Subscriptions::Moved> Subscriptions::take(
    const std::function<bool(std::string_view)>& is_elsewhere, std::string& out) {
  std::vector<Moved> taken;
  std::vector<std::pair<Channel*, Failure>> left;
  for (auto& [name, channel] : channels_) {
    if (channel->subscribers.empty()) continue;
    if (is_elsewhere(name)) {
      taken.push_back({name, {}});
      left.emplace_back(channel.get(), has_moved(name));
    } else if (channel->state == Channel::State::none) {
      request(name, *channel, out);
    }
  }
  // From here on nothing needs memory, so no subscriber is lost.
  for (std::size_t i = 0; i < left.size(); ++i) {
    Channel& channel = *left[i].first;
    taken[i].subscribers.swap(channel.subscribers);
    channel.refused = std::move(left[i].second);
    channel.changed.notify_all();
    channel.gap = false;
    channel.idle_since = {};
    become_idle(channel, idle_.begin());
  }
  sweep(Clock::now(), out);
  return taken;
}

void Subscriptions::adopt(const Moved& moved, std::string& out) noexcept {
  for (const auto& subscriber : moved.subscribers) {
    try {
      const auto channel = add(moved.name, subscriber, out);
      channel->gap = true;
      if (channel->state != Channel::State::confirmed) continue;
      channel->gap = false;
      for (const auto& each : channel->subscribers) each->on_gap();
    } catch (const std::exception&) {  // There is no memory.
      subscriber->on_gap();
    }
  }
}

void Subscriptions::answer(ReplyView said) {
  const auto found = channels_.find(requested_.front());
  requested_.pop_front();
  if (found == channels_.end()) return;
  Channel& channel = *found->second;
  if (said.is_error()) {
    channel.state = Channel::State::none;
    channel.refused = failure_of(said, server_);
    misplaced_ = misplaced_ || said.text().starts_with("MOVED ");
  } else {
    channel.state = Channel::State::confirmed;
    if (std::exchange(channel.gap, false)) {
      for (const auto& subscriber : channel.subscribers) subscriber->on_gap();
    }
  }
  channel.changed.notify_all();
}

}  // namespace holdfast::redis
