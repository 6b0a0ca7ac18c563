// SPDX-License-Identifier: Apache-2.0

#include "servers/nginx.h"

#include <fstream>

namespace holdfast::shop {
namespace {

// A request that failed is not sent to another service: it may have sold something.
std::string nginx_configuration(const std::string& dir, std::uint16_t port,
                                std::span<const std::uint16_t> services) {
  std::string upstream;
  for (const std::uint16_t service : services) {
    upstream += "    server 127.0.0.1:" + std::to_string(service) + " max_fails=0;\n";
  }
  std::string temporary;
  for (const std::string what : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
    temporary += "  " + what + "_temp_path " + dir + "/" + what + ";\n";
  }
  return "daemon off;\nmaster_process off;\npid " + dir +
         "/nginx.pid;\nerror_log stderr notice;\nevents { worker_connections 4096; }\n"
         "http {\n  access_log off;\n  keepalive_requests 1000000;\n" +
         temporary + "  upstream shop {\n" + upstream +
         "    keepalive 256;\n    keepalive_requests 1000000;\n  }\n"
         "  server {\n    listen 127.0.0.1:" +
         std::to_string(port) +
         " backlog=1024;\n    location / {\n"
         "      proxy_pass http://shop;\n"
         "      proxy_http_version 1.1;\n"
         "      proxy_set_header Connection \"\";\n"
         "      proxy_next_upstream off;\n"
         "    }\n  }\n}\n";
}

}  // namespace

Nginx::Nginx(const std::string& dir, std::span<const std::uint16_t> services)
    : server_(launched("getrlimit", [&](std::uint16_t port) {  // It listens by then.
        std::ofstream(dir + "/nginx.conf") << nginx_configuration(dir, port, services);
        return Child(
            {"/usr/sbin/nginx", "-p", dir, "-c", dir + "/nginx.conf", "-e", "stderr"},
            dir + "/nginx.log");
      })) {}

}  // namespace holdfast::shop
