// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <sstream>

#include "document.h"
#include "holdfast/client.h"

namespace holdfast::cli {
namespace {

// Escapes the text for roff: a minus stays one that can be copied, and no text is a
// request by accident.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool at_start = out.empty() || out.back() == '\n';
    if (at_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string head(const std::string& name, const std::string& summary) {
  return ".TH " + escaped(upper(name)) + " 1 \"\" \"holdfast " +
         std::string(holdfast::version()) + "\" \"Holdfast\"\n.SH NAME\n" +
         escaped(name) + " \\- " + escaped(summary) + "\n.SH SYNOPSIS\n.nf\n";
}

// A blank line in the text begins a paragraph.
std::string paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    out += line.empty() ? ".PP\n" : escaped(line) + "\n";
  }
  return out;
}

std::string option_entry(const DocumentedOption& option) {
  std::string out = ".TP\n";
  for (const std::string& flag : option.flags) {
    if (&flag != &option.flags.front()) out += ", ";
    out += option.is_word() ? "\\fI" + escaped(flag) + "\\fR" : bold(flag);
  }
  if (!option.is_word() && !option.value.empty()) {
    out += " \\fI" + escaped(option.value) + "\\fR";
  }
  return out + "\n" + escaped(option.help) + "\n";
}

// The text from "Exit status: " up to a blank line gets a section of its own.
std::string footer_sections(const std::string& footer) {
  constexpr std::string_view kStatus = "Exit status: ";
  if (!footer.starts_with(kStatus)) {
    return footer.empty() ? "" : ".SH NOTES\n" + paragraphs(footer);
  }
  const auto end = footer.find("\n\n");
  std::string out = ".SH EXIT STATUS\n" +
                    paragraphs(footer.substr(kStatus.size(), end - kStatus.size()));
  if (end != std::string::npos)
    out += ".SH NOTES\n" + paragraphs(footer.substr(end + 2));
  return out;
}

}  // namespace

std::string man_page(const DocumentedVerb& verb) {
  std::string page = head("holdfast-" + verb.name, verb.summary);
  for (const std::string& line : verb.synopsis) page += escaped(line) + "\n";
  page += ".fi\n.SH DESCRIPTION\n" + paragraphs(verb.purpose);
  if (!verb.options.empty()) page += ".SH OPTIONS\n";
  for (const DocumentedOption& each : verb.options) page += option_entry(each);
  return page + footer_sections(verb.footer) + ".SH SEE ALSO\n" + bold("holdfast") +
         "(1)\n";
}

std::string man_page(const std::vector<DocumentedVerb>& verbs) {
  std::string page = head("holdfast", "distributed locks for the command line") +
                     bold("holdfast") + " \\fIVERB\\fR [\\fIOPTIONS\\fR] ...\n" +
                     bold("holdfast") + " \\fIVERB\\fR " + bold("--help") + "\n" +
                     bold("holdfast --version") +
                     "\n.fi\n.SH DESCRIPTION\n"
                     "Takes and shows locks between processes of this host, or between "
                     "hosts by way of\n"
                     "a server. Each verb has a page of its own.\n.SH VERBS\n";
  std::string pages;
  for (const DocumentedVerb& each : verbs) {
    page += ".TP\n" + bold(each.name) + "\n" + escaped(each.summary) + "\n";
    pages += (pages.empty() ? "" : ",\n") + bold("holdfast-" + each.name) + "(1)";
  }
  const auto entry = [&](std::string_view name, std::string_view meaning) {
    page += ".TP\n" + bold(name) + "\n" + escaped(meaning) + "\n";
  };
  page += ".SH URLS\n";
  entry("local:", "The processes of this user on this host (the default).");
  entry("local:?scope=system", "The processes of all users of this host.");
  entry("redis://HOST:6379/0",
        "A Redis server; redis+cluster://HOST,HOST is a Redis Cluster, and "
        "redis+sentinel://HOST,HOST/PRIMARY what sentinels watch; rediss:// is with "
        "TLS.");
  entry("zookeeper://HOST:2181,HOST/CHROOT", "A ZooKeeper ensemble.");
  entry("etcd://HOST:2379,HOST/PREFIX", "An etcd cluster; etcds:// is with TLS.");
  entry("mysql://USER@HOST:3306/DATABASE", "A MariaDB or MySQL database.");
  entry("quorum:URL,URL,URL", "A majority of several engines.");
  page +=
      ".SH DURATIONS\n" +
      escaped(
          "A duration (DUR) is written 500ms, 3s, 2m, 1h or 1d. A number alone is in "
          "seconds. Fractions are allowed.") +
      "\n.SH ENVIRONMENT\n";
  entry("HOLDFAST_URL", "The engine, if neither --url nor --config is given.");
  entry("HOLDFAST_PASSWORD",
        "The engine's password, if the URL and ?password_file= have none.");
  entry("HOLDFAST_SENTINEL_PASSWORD",
        "The password of the sentinels of a redis+sentinel:// URL.");
  entry("HOLDFAST_LOG",
        "What is logged besides errors: info, warning (the default), error or off.");
  entry("NO_COLOR", "If it is set and not empty, nothing is coloured.");
  entry("XDG_CACHE_HOME", "The folder in which the warnings of today are remembered.");
  return page + ".SH SEE ALSO\n" + pages + ",\n" + bold("flock") + "(1)\n";
}

}  // namespace holdfast::cli
