// The manual page, the completion and the doctor: made from the program's own tables, on a machine with nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "app/cli/arguments.h"
#include "app/cli/command_tables.h"
#include "app/files/file_kinds.h"
#include "app/ui/ui.h"
#include "kernels/compute/compute.h"
#include "tests/cli/folder.h"
#include "tests/cli/program/program.h"

namespace convoscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string printed(const std::vector<std::string>& arguments) {
  const Folder folder;
  const Outcome outcome = run_program(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

// Bold letters are typed twice with a backspace between.
std::string without_overstrikes(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c == '\b') {
      while ((out.back() & 0xC0) == 0x80) out.pop_back();  // to the first byte of a letter in UTF-8
      out.pop_back();
    } else {
      out += c;
    }
  return out;
}

TEST(Manual, HasEveryOptionAndEveryKey) {
  const Folder folder;
  folder.write("convoscope.1", printed({"help", "--man"}));
  ASSERT_EQ(bash(folder.path(), "mandoc -T utf8 -O width=200 convoscope.1 > text"), 0);
  const std::string text = without_overstrikes(folder.read("text"));
  const auto has = [&](const std::string& word) { return text.find(word) != std::string::npos; };
  for (const CommandTable& table : command_tables())
    for (const OptionRow& row : table.rows) EXPECT_TRUE(has(row.name())) << table.name << " " << row.name();
  for (const KeyBinding& binding : key_bindings()) EXPECT_TRUE(has(binding.keys)) << binding.keys;
  EXPECT_TRUE(has("convoscope [INPUT] [options]"));
  EXPECT_TRUE(has("convoscope filter INPUT OUTPUT [options]"));
}

TEST(Manual, IsWellFormed) {
  const Folder folder;
  folder.write("convoscope.1", printed({"help", "--man"}));
  EXPECT_EQ(bash(folder.path(), "mandoc -T lint -W warning convoscope.1 > said"), 0) << folder.read("said");
}

TEST(DesktopEntry, IsWellFormed) {
  const Folder folder;
  EXPECT_EQ(bash(folder.path(), "desktop-file-validate " CONVOSCOPE_SOURCE "/assets/convoscope.desktop &> said"), 0)
      << folder.read("said");
  EXPECT_EQ(folder.read("said"), "");
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// By the endings of names, as the desktop and our addition to it know them.
TEST(DesktopEntry, NamesTheTypeOfEveryKindOfFileThatIsOpened) {
  const std::string assets = CONVOSCOPE_SOURCE "/assets/", known = content_of("/usr/share/mime/globs2");
  if (known.empty()) GTEST_SKIP() << "shared-mime-info is not installed";
  std::map<std::string, std::string> name_of_alias;
  std::istringstream aliases(content_of("/usr/share/mime/aliases"));
  for (std::string alias, name; aliases >> alias >> name;) name_of_alias[alias] = name;
  const auto one_name = [&](const std::string& type) {
    return name_of_alias.contains(type) ? name_of_alias.at(type) : type;
  };

  std::set<std::string> listed;
  std::smatch found;
  const std::string entry = content_of(assets + "convoscope.desktop");
  ASSERT_TRUE(std::regex_search(entry, found, std::regex("\nMimeType=(.*)\n")));
  std::istringstream types(found[1]);
  for (std::string type; std::getline(types, type, ';');)
    EXPECT_TRUE(listed.insert(one_name(type)).second || name_of_alias.contains(type)) << type << " stands there twice";

  std::map<std::string, std::set<std::string>> types_of;  // an ending
  std::istringstream globs(known);
  const std::regex glob(R"(\d+:([^:]+):\*\.(\w+))"), ours(R"re(mime-type type="([^"]+)|glob pattern="\*\.(\w+)")re");
  for (std::string line; std::getline(globs, line);)
    if (std::regex_match(line, found, glob)) types_of[found[2]].insert(one_name(found[1]));
  const std::string added = content_of(assets + "convoscope.mime.xml");
  std::string type;
  for (std::sregex_iterator at(added.begin(), added.end(), ours), end; at != end; ++at)
    (*at)[1].matched ? void(type = (*at)[1]) : void(types_of[(*at)[2]].insert(type));

  std::set<std::string> opened;
  const auto look = [&](const auto& endings) {
    for (const std::string_view ending : endings) {
      const std::set<std::string> all = types_of[std::string(ending)];
      EXPECT_TRUE(std::ranges::any_of(all, [&](const auto& one) { return listed.contains(one); }))
          << "no type of *." << ending << " is in the desktop's entry; there are " << testing::PrintToString(all);
      opened.insert(all.begin(), all.end());
    }
  };
  look(video_endings);
  look(picture_endings);
  look(sound_endings);
  EXPECT_THAT(opened, testing::IsSupersetOf(listed)) << "a type that no file has that is opened";
}

std::vector<std::string> completed(const std::string& words, int at) {
  const Folder folder;
  folder.write("completion", printed({"help", "--completion", "bash"}));
  EXPECT_EQ(bash(folder.path(), "source ./completion; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                                    "; _convoscope; printf \"%s\\n\" \"${COMPREPLY[@]}\" > out"),
            0);
  std::istringstream lines(folder.read("out"));
  std::vector<std::string> offered;
  for (std::string line; std::getline(lines, line);) offered.push_back(line);
  return offered;
}

TEST(Completion, HasEveryOption) {
  for (const CommandTable& table : command_tables()) {
    const std::vector<std::string> offered =
        completed("convoscope " + (table.name.empty() ? "clip.mp4" : table.name) + " -", 2);
    for (const OptionRow& row : table.rows) {
      if (row.argument) continue;
      EXPECT_THAT(offered, testing::IsSupersetOf(row.names)) << table.name;
    }
    for (const char* shell : {"zsh", "fish"}) {
      const std::string script = printed({"help", "--completion", shell});
      for (const OptionRow& row : table.rows) {
        if (row.argument) continue;
        EXPECT_NE(script.find(row.name().substr(2)), std::string::npos) << shell << " " << row.name();
      }
    }
  }
}

TEST(Completion, IsWellFormedWhereTheShellIsThere) {
  const Folder folder;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    folder.write(shell, printed({"help", "--completion", shell}));
    EXPECT_EQ(bash(folder.path(), "! command -v " + shell + " > where || " + shell + " -n " + shell + " &> said"), 0)
        << shell << ": " << folder.read("said");
  }
}

TEST(Completion, OffersOnlyWhatIsTaken) {
  for (const CommandTable& table : command_tables())
    for (const OptionRow& row : table.rows)
      for (const std::string& value : row.words) {
        if (row.argument || row.name().starts_with("--record-") || value == "hevc") continue;
        std::vector<const char*> words{"convoscope"};
        if (!table.name.empty()) words.push_back(table.name.c_str());
        if (table.name == "list") words.push_back("filters");
        const bool times = table.name == "bench" || table.name == "experiment";
        if (times && row.name() == "--backend" && value == "emulated") continue;  // never timed
        if (table.name == "experiment") words.push_back("choosing");
        if (table.name == "lesson") words.push_back("list");
        if (table.name == "filter") words.insert(words.end(), {"-", "-"});
        if (table.name == "grade" || table.name == "new-kernel") words.push_back("my.cu");
        const bool of_layers = row.name() == "--type" || row.name() == "--layout";
        if (of_layers && !table.name.empty()) words.insert(words.end(), {"--kind", "layer"});
        words.insert(words.end(), {row.name().c_str(), value.c_str()});
        EXPECT_NO_THROW(parse_arguments(static_cast<int>(words.size()), words.data(), default_settings()))
            << table.name << " " << row.name() << " " << value;
      }
}

TEST(Completion, CompletesInBash) {
  using testing::ElementsAre;
  EXPECT_THAT(completed("convoscope doc", 1), ElementsAre("doctor"));
  EXPECT_THAT(completed("convoscope --bor", 1), ElementsAre("--border"));
  EXPECT_THAT(completed("convoscope --border m", 2), ElementsAre("mirror"));
  EXPECT_THAT(completed("convoscope list dev", 2), ElementsAre("devices"));
  EXPECT_THAT(completed("convoscope help --co", 2), ElementsAre("--completion"));
  EXPECT_THAT(completed("convoscope help --completion f", 3), ElementsAre("fish"));
  EXPECT_THAT(completed("convoscope verify --sm", 2), ElementsAre("--small"));
  EXPECT_THAT(completed("convoscope list --json strat", 3), ElementsAre("strategies")) << "a flag there";
  EXPECT_THAT(completed("convoscope --record comp", 2), ElementsAre("completion")) << "the only file";
}

TEST(Completion, NamesTheShellsThatItKnows) {
  const Folder folder;
  const Outcome outcome = run_program({"help", "--completion", "csh"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no shell 'csh'"));
  for (const char* shell : {"zsh", "fish"})
    EXPECT_THAT(printed({"help", "--completion", shell}), AllOf(HasSubstr("border"), HasSubstr("mirror")));
}

TEST(Completion, SaysThatItNeedsAShell) {
  const Folder folder;
  const Outcome outcome = run_program({"help", "--completion"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bash, zsh or fish"));
}

TEST(Doctor, SaysInJsonWhatScriptsAskFor) {
  const json out = json::parse(printed({"doctor", "--json"}));
  std::set<std::string> ids;
  for (const json& finding : out.at("findings")) {
    ids.insert(finding.at("id"));
    EXPECT_TRUE(finding.at("ok").is_boolean());
    EXPECT_THAT(finding.at("says").get<std::string>(), testing::EndsWith(".")) << finding;
    EXPECT_THAT(finding.at("says").get<std::string>(), Not(HasSubstr("CMake"))) << "a word of ours";
  }
  for (const char* id : {"program", "cpu", "driver", "gpu", "sound", "display", "opengl", "interop", "nvdec", "nvenc",
                         "encoders", "ffmpeg", "cameras", "library/cuBLAS", "library/NVRTC"})
    EXPECT_TRUE(ids.contains(id)) << id;
  EXPECT_EQ(out.at("libraries").size(), 6u);
  for (const char* wrong : {"CuBLAS", "CuFFT", "CuDNN"}) EXPECT_THAT(out.dump(), Not(HasSubstr(wrong)));
  EXPECT_THAT(out.at("places").at("cache").get<std::string>(), HasSubstr("convoscope"));
  EXPECT_TRUE(out.at("devices").is_array());
  EXPECT_TRUE(out.at("cameras").is_array());
}

TEST(Doctor, SaysThatItsKernelsAreSlowOnlyWhereTheyAre) {
  const bool quick = !why_slower_than_need_be(Backend::cuda).empty();
  const json out = json::parse(printed({"doctor", "--json"}));
  for (const json& finding : out.at("findings")) {
    if (finding.at("id") != "program") continue;
    EXPECT_EQ(finding.at("says").get<std::string>().find("not for speed") != std::string::npos, quick) << finding;
    EXPECT_FALSE(quick && finding.at("ok").get<bool>());
  }
}

// The warning at the start of a program whose kernels are slow, and what the doctor says of it.
TEST(Doctor, NamesWhatBuildsTheFastKernels) {
  EXPECT_THAT(quick_kernels_notice, AllOf(HasSubstr("`make run`"), HasSubstr("`make package`")));
  const std::string notice = why_slower_than_need_be(Backend::cuda);
  EXPECT_TRUE(notice.empty() || notice == quick_kernels_notice);
  const json said = json::parse(printed({"doctor", "--json"}));
  for (const json& finding : said.at("findings"))
    if (finding.at("id") == "program" && !finding.at("ok").get<bool>()) {
      EXPECT_THAT(finding.at("would").get<std::string>(), AllOf(HasSubstr("`make run`"), HasSubstr("`make package`")));
    }
}

TEST(Doctor, CountsTheCacheAndLeavesNothing) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() / ".cache/convoscope/specialised");
  folder.write(".cache/convoscope/auto.json", std::string(1000, ' '));
  folder.write(".cache/convoscope/specialised/one", std::string(234, ' '));
  const Outcome outcome = run_program({"doctor", "--json"}, folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(json::parse(outcome.out).at("cache"), (json{{"bytes", 1234}, {"files", 2}}));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".config/convoscope"));
}

TEST(Doctor, SaysInSentencesWhatIsMissingAndWhereFilesGo) {
  const std::string text = printed({"doctor"});
  EXPECT_THAT(text, AllOf(HasSubstr("There is no display"), HasSubstr("Where files go"), HasSubstr("settings.json")));
}

TEST(Doctor, SaysWhereRecordingsAndScreenshotsGo) {
  const Folder folder;
  const auto expect = [&](const std::string& path, const std::string& why) {
    const Outcome outcome = run_program({"doctor", "--json"}, folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const char* what : {"recordings", "screenshots"})
      EXPECT_EQ(json::parse(outcome.out).at("places").at(what), path) << what;
    std::istringstream words(run_program({"doctor"}, folder.path()).out);
    std::string text;
    for (std::string word; words >> word;) text += word + " ";  // in lines of whatever width
    EXPECT_THAT(text, AllOf(HasSubstr("Recordings " + path + ", " + why), HasSubstr("Screenshots " + path)));
  };
  const std::string films = folder / "films";
  std::filesystem::create_directories(films);
  std::filesystem::create_directories(folder.path() / ".config/convoscope");
  folder.write(".config/user-dirs.dirs", "XDG_VIDEOS_DIR=\"" + films + "\"\nXDG_PICTURES_DIR=\"" + films + "\"\n");
  expect(films, "unless you choose another folder");
  folder.write(".config/convoscope/session.json", R"({"convoscope": "session", "recording": {"folder": "/my/films"}})");
  expect("/my/films", "which was chosen in the window");
  folder.write(".config/convoscope/session.json", R"({"convoscope": "session", "recording": {"folder": "/my/films")");
  expect("/my/films", "which was chosen in the window");
}

TEST(Doctor, SpeaksAloneAlsoWhereHomeIsNoFolder) {
  const Folder folder;
  for (const char* home : {"HOME=", "HOME=rel"}) {
    EXPECT_EQ(bash(folder.path(), std::string(home) + " \"$CONVOSCOPE\" doctor >out 2>err"), 0);
    EXPECT_EQ(folder.read("err"), "") << home;
  }
}

TEST(Doctor, SaysThatItsResultsWereLost) {
  const Folder folder;
  EXPECT_EQ(bash(folder.path(), "\"$CONVOSCOPE\" doctor > /dev/full 2>err"), 2);
  EXPECT_THAT(folder.read("err"), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace convoscope
