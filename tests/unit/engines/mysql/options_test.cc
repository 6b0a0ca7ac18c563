// SPDX-License-Identifier: Apache-2.0

#include "engines/mysql/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/temp_dir.h"

namespace holdfast::mysql {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Options> read(const std::string& url) {
  return read_options(base::parse_uri(url).value());
}

TEST(MysqlOptions, DefaultsAreALocalServer) {
  const Options options = read("mysql:///shop").value();
  EXPECT_EQ(options.spelt(), "127.0.0.1:3306");
  EXPECT_EQ(options.database, "shop");
  EXPECT_EQ(options.mode, LockMethod::hybrid);
  EXPECT_EQ(options.tls, Tls::off);
  EXPECT_EQ(options.user, "");
  EXPECT_TRUE(options.socket.empty());
}

TEST(MysqlOptions, SeveralHosts) {
  EXPECT_EQ(read("mysql://a,b:1,[::1]:2/shop/").value().spelt(), "a:3306,b:1,[::1]:2");
}

TEST(MysqlOptions, ASocketInsteadOfAHost) {
  const Options options = read("mysql://ann@/shop?socket=/run/db.sock").value();
  EXPECT_EQ(options.spelt(), "/run/db.sock");
  EXPECT_TRUE(options.hosts.empty());
  EXPECT_EQ(options.tls, Tls::off);
}

TEST(MysqlOptions, Modes) {
  EXPECT_EQ(read("mysql://h/shop?mode=hybrid").value().mode, LockMethod::hybrid);
  EXPECT_EQ(read("mysql://h/shop?mode=rows").value().mode, LockMethod::rows);
  EXPECT_EQ(read("mysql://h/shop?mode=getlock").value().mode, LockMethod::getlock);
}

struct Near {
  const char* url;
  Tls tls;
};

class MysqlTls : public testing::TestWithParam<Near> {};

TEST_P(MysqlTls, IsCheckedUnlessTheHostIsThisOne) {
  EXPECT_EQ(read(GetParam().url).value().tls, GetParam().tls) << GetParam().url;
}

INSTANTIATE_TEST_SUITE_P(
    , MysqlTls,
    testing::Values(Near{"mysql://127.0.0.1/shop", Tls::off},
                    Near{"mysql://127.255.3.4/shop", Tls::off},
                    Near{"mysql://127.evil.example/shop", Tls::verify},
                    Near{"mysql://127.1/shop", Tls::verify},
                    Near{"mysql://127.0.0.1.example.org/shop", Tls::verify},
                    Near{"mysql://128.0.0.1/shop", Tls::verify},
                    Near{"mysql://localhost.example.org/shop", Tls::verify},
                    Near{"mysql://[::2]/shop", Tls::verify},
                    Near{"mysql://127.0.0.1,127.evil.example/shop", Tls::verify},
                    Near{"mysql://127.1.2.3/shop", Tls::off},
                    Near{"mysql://localhost/shop", Tls::off},
                    Near{"mysql://[::1]/shop", Tls::off},
                    Near{"mysql://db.internal/shop", Tls::verify},
                    Near{"mysql://10.0.0.1/shop", Tls::verify},
                    Near{"mysql://127.0.0.1,10.0.0.1/shop", Tls::verify},
                    Near{"mysql://10.0.0.1/shop?tls=encrypt", Tls::encrypt},
                    Near{"mysql://10.0.0.1/shop?tls=off", Tls::off},
                    Near{"mysql://127.0.0.1/shop?tls=verify", Tls::verify},
                    Near{"mysql://127.0.0.1/shop?ca=/dev/null", Tls::verify}),
    [](const auto& test) { return "n" + std::to_string(test.index); });

TEST(MysqlOptions, TlsFiles) {
  const test::TempDir folder;
  for (const char* name : {"ca", "cert", "key"}) {
    std::ofstream(folder.file(name)) << name;
  }
  const std::string cert = folder.file("cert") + "&key=" + folder.file("key");
  const Options options =
      read("mysql://h/shop?ca=" + folder.file("ca") + "&cert=" + cert).value();
  EXPECT_EQ(options.ca_file, folder.file("ca"));
  EXPECT_EQ(options.cert_file, folder.file("cert"));
  EXPECT_EQ(options.key_file, folder.file("key"));
  const auto missing = read("mysql://h/shop?ca=" + folder.file("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::denied);
  EXPECT_THAT(missing.error().message(), HasSubstr(folder.file("none")));
}

TEST(MysqlOptions, AUserWithAPassword) {
  const Options options = read("mysql://app:s3cret@h/shop").value();
  EXPECT_EQ(options.user, "app");
  EXPECT_EQ(options.password.reveal(), "s3cret");
}

TEST(MysqlOptions, APasswordInAFile) {
  const test::TempDir folder;
  std::ofstream(folder.file("password")) << "s3cret\n";
  const std::string url = "mysql://app@h/shop?password_file=";
  EXPECT_EQ(read(url + folder.file("password")).value().password.reveal(), "s3cret");
  const auto missing = read(url + folder.file("none"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::denied);
}

struct Bad {
  const char* url;
  const char* says;
};

class BadMysqlOptions : public testing::TestWithParam<Bad> {};

TEST_P(BadMysqlOptions, AreNamed) {
  const auto options = read(GetParam().url);
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().code, Errc::bad_url);
  EXPECT_THAT(options.error().message(), HasSubstr(GetParam().says));
  EXPECT_THAT(options.error().message(), Not(HasSubstr("s3cret")));
}

INSTANTIATE_TEST_SUITE_P(
    , BadMysqlOptions,
    testing::Values(
        Bad{"mysql://h", "a database is missing"},
        Bad{"mysql://h/", "a database is missing"},
        Bad{"mysql://h/a/b", "one database"}, Bad{"mysql://h/a%00b", "one database"},
        Bad{"mysql://h/shop?colour=red", "no option \"colour\"; it has ca, cert, key"},
        Bad{"mysql://h/shop?mode=fast", "?mode= must be one of hybrid, rows, getlock"},
        Bad{"mysql://h/shop?tls=on", "?tls= must be one of verify, encrypt, off"},
        Bad{"mysql://h/shop?ca=", "?ca= must be a word or a path"},
        Bad{"mysql://h/shop?socket=", "?socket= must be a word or a path"},
        Bad{"mysql://h/shop?socket=/a", "instead of a host"},
        Bad{"mysql://h/shop?tls=off&ca=/a", "belong to TLS, which is off"},
        Bad{"mysql://h/shop?cert=/a", "?cert= and ?key= come together"},
        Bad{"mysql://:s3cret@h/shop", "a password needs a user"}),
    [](const auto& test) { return "n" + std::to_string(test.index); });

}  // namespace
}  // namespace holdfast::mysql
