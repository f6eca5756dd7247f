#pragma once
// A file that takes its name when it is whole, so that a failure leaves what was there under that name. It takes the
// place of what was there when it was begun, and of nothing that came since.
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/files/descriptor.h"

namespace convoscope {

// One that waits until somebody reads it. Those that a shell opens (/dev/fd/63) have their reader.
bool is_named_pipe(const std::string& path);

// A sentence, for what the system says about a file that cannot be made.
std::string what_to_do_about(int problem);

// Throws Error as OutputFile does for an older file, to be told before the work is done.
void check_can_be_replaced(const std::string& path);

class OutputFile {
 public:
  enum class Use {
    whole_or_nothing,  // texts and pictures: ".shot.png.part", which is removed when it is not kept
    part_until_whole,  // videos and results of a job: "out.part.mkv", which stays, whose name only a whole one loses
  };
  // Either takes the place of such a part that an earlier run has left (part_mark.h), and of nobody else's file.
  // Links are followed, also those to a file that is yet to come; what is no regular file (/dev/stdout) is written in
  // place. Throws Error with a sentence, also where nothing can be made beside an older file.
  OutputFile(const std::string& path, Use);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& draft() const { return draft_; }  // what to open and write; it exists
  bool in_place() const { return draft_ == path_; }
  bool is_regular() const { return made_; }  // no device or pipe, which is written as it is there
  // Written and closed: it takes its name. Throws Error, and then draft() is still there: texts and pictures beside a
  // file that somebody else has written meanwhile, under a name that says what they are.
  void keep();
  // keep(), unless it would put what is not `whole` in the place of an older file, or give a part the name of a whole
  // one: false, and draft() stays. Throws Error likewise, also when draft() is not there any more.
  bool keep_if(bool whole);
  bool is_there() const;        // draft(), as it was made: not deleted, moved away or replaced meanwhile
  void check_is_there() const;  // throws Error
  void discard();               // closed: it goes, and what was there under its name stays
  // `file`, named `path` in the folder of draft(), is what was written, in a better form: it becomes draft(), with its
  // name and rights. False: it could not, or draft() is not there any more; then both are as they were.
  bool take_in(Descriptor file, const std::string& path);
  // Where what was written is, when it is not kept: "'films/out.part.mkv'", in the folder as it was given. A part stays
  // there. Empty when it was deleted, moved away or replaced meanwhile.
  std::string where_left() const;
  // The same as a sentence, with a blank after it: "What was written plays and is in '/films/out.part.mkv'. ". Empty
  // while there is nothing.
  std::string what_is_left() const;

 private:
  struct Version {
    dev_t device;
    ino_t file;
    std::int64_t seconds, nanoseconds, bytes;
    bool operator==(const Version&) const = default;
  };
  static std::optional<Version> version_of(const std::string& path);  // none: nothing is there

  bool stays() const { return use_ == Use::part_until_whole; }
  bool create(const std::string& path);
  bool make_draft(const std::string& folder, const std::string& name, const std::string& ending);
  void take_free_name();
  std::string shown_draft() const;

  const Use use_;
  const std::string given_;
  std::string path_, draft_;
  std::optional<Version> before_;  // what it may replace
  bool made_ = false;              // the draft by us: it may be removed
  // Open: the number of a file that nobody has open may change or be another's, as with FAT and deleted files.
  std::optional<Descriptor> pinned_;
  dev_t device_ = 0;
  ino_t file_ = 0;
  bool settled_ = false;
};

// All of it or nothing, also under the name of a part. Throws Error with a sentence that names the file and says what
// to do.
void write_file(const std::string& path, std::string_view bytes,
                OutputFile::Use use = OutputFile::Use::whole_or_nothing);
// The same for what is no whole result: it keeps the name of a part, which is returned as by where_left(); empty where
// what is there can only be written in place.
std::string write_part(const std::string& path, std::string_view bytes);

}  // namespace convoscope
