#include "engines/redis/subscriptions.h"

#include <algorithm>
#include <utility>

#include "engines/redis/command.h"

namespace holdfast::redis {

bool Subscriptions::hears(const std::string& name) const {
  const auto found = channels_.find(name);
  return found != channels_.end() && found->second->state == Channel::State::hears;
}

std::shared_ptr<Channel> Subscriptions::listen(const std::string& name,
                                               std::shared_ptr<Listener> listener,
                                               std::string& out) {
  auto& channel = channels_[name];
  if (!channel) {
    channel = std::make_shared<Channel>();
  } else if (channel->listeners.empty()) {
    idle_.erase(channel->idle_place);
  }
  auto& listeners = channel->listeners;
  if (std::find(listeners.begin(), listeners.end(), listener) == listeners.end()) {
    listeners.push_back(std::move(listener));
  }
  if (channel->state == Channel::State::deaf) ask(name, *channel, out);
  return channel;
}

std::shared_ptr<Listener> Subscriptions::forget(const std::string& name,
                                                const Listener& listener,
                                                Clock::time_point now,
                                                std::string& out) {
  const auto found = channels_.find(name);
  if (found == channels_.end()) return nullptr;
  Channel& channel = *found->second;
  const auto at = std::find_if(channel.listeners.begin(), channel.listeners.end(),
                               [&](const auto& one) { return one.get() == &listener; });
  if (at == channel.listeners.end()) return nullptr;

  auto gone = std::exchange(*at, std::move(channel.listeners.back()));
  channel.listeners.pop_back();
  if (channel.listeners.empty()) {
    channel.gap = false;
    channel.idle_since = now;
    channel.idle_place = idle_.insert(idle_.end(), name);
    sweep(now, out);
  }
  return gone;
}

void Subscriptions::sweep(Clock::time_point now, std::string& out) {
  while (!idle_.empty()) {
    const auto found = channels_.find(idle_.front());
    const Channel& channel = *found->second;
    const bool old = now - channel.idle_since >= kIdle || idle_.size() > kMostIdle;
    // The answer under way belongs to this Channel, and must not reach the next one of
    // the same name.
    if (!old || channel.state == Channel::State::asked) return;
    if (channel.state == Channel::State::hears) {
      Command(out, 2).add("UNSUBSCRIBE").add(found->first);
    }
    channels_.erase(found);
    idle_.pop_front();
  }
}

void Subscriptions::broke() {
  asked_.clear();
  for (auto& [name, channel] : channels_) {
    channel->state = Channel::State::deaf;
    channel->gap = true;
  }
}

void Subscriptions::begin_again(std::string& out) {
  asked_.clear();
  for (auto& [name, channel] : channels_) {
    channel->state = Channel::State::deaf;
    if (!channel->listeners.empty()) ask(name, *channel, out);
  }
}

void Subscriptions::refuse(const Failure& why) {
  broke();
  for (auto& [name, channel] : channels_) {
    channel->refused = why;
    channel->changed.notify_all();
  }
}

void Subscriptions::tell_missed() {
  for (auto& [name, channel] : channels_) {
    for (const auto& listener : channel->listeners) listener->missed();
  }
}

Result<void> Subscriptions::take(ReplyView said) {
  const std::string_view what = said[0].text();
  if (what == "message") {
    const auto found = channels_.find(said[1].text());
    if (found == channels_.end()) return {};
    for (const auto& listener : found->second->listeners) {
      listener->heard(said[2].text());
    }
    return {};
  }
  if (what == "subscribe" || said.is_error()) {
    if (asked_.empty()) {
      return said.is_error() ? failure_of(said)
                             : Failure(Errc::incompatible, "an answer out of turn");
    }
    answer(said);
    return {};
  }
  if (what == "unsubscribe" || what == "pong" || said.text() == "PONG") return {};
  return Failure(Errc::incompatible, "it does not answer as Redis does");
}

void Subscriptions::ask(const std::string& name, Channel& channel, std::string& out) {
  Command(out, 2).add("SUBSCRIBE").add(name);
  channel.state = Channel::State::asked;
  channel.refused.reset();
  asked_.push_back(name);
}

void Subscriptions::answer(ReplyView said) {
  const auto found = channels_.find(asked_.front());
  asked_.pop_front();
  if (found == channels_.end()) return;
  Channel& channel = *found->second;
  if (said.is_error()) {
    channel.state = Channel::State::deaf;
    channel.refused = failure_of(said);
  } else {
    channel.state = Channel::State::hears;
    if (std::exchange(channel.gap, false)) {
      for (const auto& listener : channel.listeners) listener->missed();
    }
  }
  channel.changed.notify_all();
}

}  // namespace holdfast::redis
