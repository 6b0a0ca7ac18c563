// SPDX-License-Identifier: Apache-2.0

#include "faults/segment_files.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "holdfast/client.h"
#include "holdfast/mutex.h"
#include "support/victim.h"

namespace holdfast::test {

std::string make_segment(const std::string& path) {
  {
    const Client client = Client::open("local://" + path).value();
    Mutex mutex(client, "in-use");
    mutex.lock();
  }
  return read_file(path);
}

std::string read_file(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  chmod(path.c_str(), 0600);
}

std::string try_segment(const std::string& path, const std::string& query) {
  Victim victim;
  const std::string opened = victim.ask("open local://" + path + query);
  if (opened != "ok") return opened.empty() ? "died" : opened;
  const std::string locked = victim.ask("try in-use");
  if (locked != "ok") return locked.empty() ? "died" : locked;
  return {};
}

testing::AssertionResult refused(const std::string& path, Errc why,
                                 const std::string& query) {
  const std::string answer = try_segment(path, query);
  if (!is_error(answer, why)) {
    return testing::AssertionFailure()
           << path << ": not \"" << make_error_code(why).message() << "\" but \""
           << answer << '"';
  }
  if (answer.find(path) == std::string::npos) {
    return testing::AssertionFailure() << "does not name " << path << ": " << answer;
  }
  return testing::AssertionSuccess();
}

}  // namespace holdfast::test
