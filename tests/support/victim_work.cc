#include "support/victim_work.h"

#include <chrono>
#include <deque>
#include <fstream>
#include <mutex>

#include "holdfast/clock.h"
#include "holdfast/mutex.h"
#include "support/journal.h"

namespace holdfast::test {

std::string count(const Client& client, std::istream& words) {
  std::string path;
  std::string name;
  int times = 0;
  words >> path >> times >> name;
  Mutex mutex(client, name);
  for (int i = 0; i < times; ++i) {
    std::scoped_lock guard(mutex);
    long number = 0;
    std::ifstream(path) >> number;
    std::ofstream(path) << number + 1 << '\n';
  }
  return {};
}

std::string storm(const Client& client, std::istream& words) {
  std::string path;
  std::string name;
  long span = 0;
  words >> path >> span >> name;
  Mutex mutex(client, name);
  Journal journal(path);
  long done = 0;
  for (const auto end = Clock::now() + std::chrono::milliseconds(span);
       Clock::now() < end;) {
    std::scoped_lock guard(mutex);
    journal.append(mutex.token());
    ++done;
  }
  return std::to_string(done);
}

std::string names(const Client& client, std::istream& words) {
  int number = 0;
  std::string prefix;
  words >> number >> prefix;
  std::deque<Mutex> mutexes;
  for (int i = 0; i < number; ++i) {
    mutexes.emplace_back(client, prefix + std::to_string(i)).lock();
  }
  return std::to_string(mutexes.size());
}

}  // namespace holdfast::test
