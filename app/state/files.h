#pragma once
// What the window asks of the disk, and what it is told. It asks in every frame for as long as it shows the answer;
// DiskReader answers some frames later, from threads of its own. Plain data.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convoscope {

enum class FileKind { folder, video, picture, sound, data, other };
inline bool is_clip(FileKind kind) { return kind == FileKind::video || kind == FileKind::sound; }
enum class FileOrder { name, date };

inline constexpr std::size_t most_listed = 100'000;  // entries of one folder that are kept and sorted

struct FileEntry {
  std::string name;  // as the disk has it: any bytes but '/'
  FileKind kind = FileKind::other;
  std::int64_t bytes = 0, changed = 0;  // seconds since 1970
};

struct FolderQuestion {
  std::string folder;    // from the root on
  std::string contains;  // a part of the names, upper or lower case; a name that begins with a dot needs one here
  bool begins = false;   // …at their beginning, letter by letter as the disk has them
  FileOrder order = FileOrder::name;
  FileKind wanted = FileKind::video;      // listed first, behind the folders; video: pictures and sound as well
  std::vector<std::string> endings = {};  // of the files that are listed, in small letters; empty: all files
  bool operator==(const FolderQuestion&) const = default;
};

struct FolderListing {
  FolderQuestion question;
  std::string problem;             // why it cannot be read, a sentence
  std::vector<FileEntry> entries;  // folders first
  std::size_t pictures = 0;        // among the entries
  bool cut = false;                // the folder has more than most_listed
};

struct PathFacts {
  bool exists = false, folder = false;
  bool readable = false;
  bool writable = false;    // the file itself; one that is not there yet: its folder
  bool has_folder = false;  // the folder that it lies or would lie in is there
};

struct FileQuestions {
  std::optional<FolderQuestion> folder;
  std::vector<std::string> thumbnails;  // of these files, the most wanted first
  std::vector<std::string> paths;       // facts about these
  bool look_again = false;              // what was known of these is forgotten, and found out anew
};

// Where a picture lies in FileAnswers::thumbnail_texture.
struct ThumbnailPlace {
  float left = 0, top = 0, right = 0, bottom = 0;  // 0…1; nothing within: the file shows no picture
  int width = 0, height = 0;                       // pixels
};

struct FileAnswers {
  std::shared_ptr<const FolderListing> folder;  // may still answer the question before
  std::size_t entries_read = 0;                 // of a folder that is being read
  std::map<std::string, PathFacts> paths;       // those that are known by now
  std::map<std::string, ThumbnailPlace> thumbnails;
  unsigned thumbnail_texture = 0;      // 0: none yet
  std::string started_in;              // the folder that the program was started in
  std::string pictures_in, videos_in;  // where these are saved unless the user chose a folder; empty: as started_in
  std::string input_in;                // that of the input that the command line named; empty: it named none on a disk
};

}  // namespace convoscope
