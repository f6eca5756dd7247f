#include "app/doctor/checkup.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>

#include "app/cli/options/values.h"
#include "app/files/log.h"
#include "app/files/paths.h"
#include "app/files/user_folders.h"
#include "app/gl/interop/interop.h"
#include "app/gl/window/context.h"
#include "app/media/ffmpeg/hardware_codecs.h"
#include "app/media/sound/sound_output.h"
#include "app/media/sources/source.h"
#include "app/session/kept_file.h"
#include "app/session/places.h"
#include "app/session/session_json.h"
#include "kernels/compute/compute.h"
#include "kernels/compute/compute_backends.h"
#include "kernels/measure/cache_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

std::string sentence(std::string part) {
  if (part.starts_with("the ")) part[0] = 'T';  // and not cuBLAS
  return part + ".";
}

// From CMake's list: "80-real, 90-virtual".
std::string architectures(const std::string& built) {
  std::vector<std::string> names = split_list(built, ',');
  for (std::string& name : names)
    if (const std::size_t dash = name.find('-'); dash != std::string::npos)
      name = name.substr(0, dash) + (name.ends_with("-virtual") ? " (as PTX)" : "");
  return (names.size() == 1 ? "the architecture " : "the architectures ") + listed(names);
}

Finding program() {
  const std::string built = CONVOSCOPE_CUDA_ARCHITECTURES;
  if (built.empty())
    return {"program", "Program", false, "Version " CONVOSCOPE_VERSION ", built without the CUDA Toolkit.",
            "With the toolkit's nvcc, `make run` builds the CUDA strategies for the NVIDIA GPU of this machine, and "
            "`make package` builds them for every NVIDIA GPU."};
  const bool everything = built.starts_with("all"), quick = !why_slower_than_need_be(Backend::cuda).empty(),
             portable = built.ends_with("-virtual") && built.find(',') == std::string::npos;
  return {"program", "Program", !portable && !quick,
          "Version " CONVOSCOPE_VERSION ", with CUDA kernels for " +
              (everything ? "every GPU generation that the toolkit knows" : architectures(built)) +
              (portable ? ". Newer GPUs run them too, once their driver has compiled each of them, but do not use what "
                          "is new in those GPUs."
                        : ".") +
              (quick ? " They were compiled for a quick build, not for speed." : ""),
          portable || quick ? "`make run` on a machine with a GPU builds fast kernels for that GPU; `make package` "
                              "builds them for every GPU, which takes longer."
                            : ""};
}

Finding driver() {
  const NvidiaDriver found = nvidia_driver();
  if (found.path.empty())
    return {"driver", "NVIDIA driver", false, "No NVIDIA driver was found (libcuda.so.1).",
            "With an NVIDIA GPU, install the driver that the distribution or NVIDIA offers for it."};
  return {"driver", "NVIDIA driver", true,
          "Runs programs for CUDA up to " + found.cuda + "; found in " + found.path + ".", ""};
}

Finding gpu(const std::string& why_not, const std::vector<Device>& devices) {
  if (!why_not.empty())
    return {
        "gpu", "GPU", false, why_not,
        "An NVIDIA GPU (Turing, 2018, or newer) with its driver runs the CUDA strategies, tens to hundreds of times "
        "as fast as the CPU. Until then the CPU strategies run, and --backend emulated explains the CUDA kernels."};
  std::vector<std::string> names;
  for (const Device& device : devices)
    names.push_back("number " + std::to_string(device.ordinal) + ", " + device.name + " (compute capability " +
                    std::to_string(device.compute_capability / 10) + "." +
                    std::to_string(device.compute_capability % 10) + ", " +
                    byte_text(static_cast<double>(device.memory_bytes)) + ")");
  return {"gpu", "GPU", true, "CUDA works (" + cuda_versions() + ") with GPU " + listed(names) + ".", ""};
}

Finding codecs(const std::string& id, const std::string& title, const std::vector<TriedCodec>& tried,
               const std::string& verb, const std::string& would) {
  std::vector<std::string> good, bad;
  for (const TriedCodec& codec : tried) (codec.problem.empty() ? good : bad).push_back(codec.name);
  if (good.empty()) return {id, title, false, "Nothing can be " + verb + ": " + tried.at(0).problem + ".", would};
  return {id, title, true, listed(good) + " can be " + verb + (bad.empty() ? "." : "; " + listed(bad) + " cannot."),
          ""};
}

// In a window that is never shown where there is a display, else offscreen: drivers differ in what either may do.
void try_opengl(bool display, bool cuda, std::vector<Finding>& findings) {
  Finding opengl{"opengl", "OpenGL", false, "", ""}, interop{"interop", "CUDA with OpenGL", false, "", ""};
  interop.would = "If both share the GPU, pictures reach the screen without going through the host's memory.";
  try {
    const std::unique_ptr<Compute> compute = make_compute(cuda ? Backend::cuda : Backend::cpu);
    const ContextSettings wanted{
        .width = 64, .height = 64, .vsync = false, .hidden = true, .egl_device = cuda ? compute->device().ordinal : -1};
    const std::unique_ptr<Context> context = display ? make_window(wanted) : make_offscreen(wanted);
    opengl.ok = true;
    opengl.says = "OpenGL 4.5 works " + std::string(display ? "in a window" : "offscreen") + ", drawn by " +
                  context->renderer() + ".";
    const bool software = context->renderer().find("llvmpipe") != std::string::npos ||
                          context->renderer().find("softpipe") != std::string::npos;
    if (software) opengl.would = "The driver of a GPU would draw large windows faster than this software does.";
    interop.says = "Not tried: there is no CUDA here.";
    if (cuda) {
      const std::unique_ptr<Interop> tried = make_interop(*compute);
      tried->resize(1, 64, 64, PixelFormat::rgba8);
      const DeviceImage image = compute->allocate(64, 64, PixelFormat::rgba8);
      compute->fill(image.image(), 0);
      tried->begin();
      tried->present(std::vector<Image>{image.image()});
      compute->synchronize();
      interop.ok = tried->notice().empty();
      interop.says = interop.ok ? "A picture went from CUDA to OpenGL on the GPU." : tried->notice();
      if (interop.ok) interop.would.clear();
    }
  } catch (const Error& error) {
    (opengl.ok ? interop : opengl).says = error.what();
    if (!opengl.ok) {
      opengl.would = "OpenGL 4.5 is needed to show anything. The subcommands work without it.";
      interop.says = "Not tried: there is no OpenGL here.";
    }
  }
  findings.push_back(opengl);
  findings.push_back(interop);
}

Finding cameras(const std::vector<SourceChoice>& all) {
  std::vector<std::string> good, bad;
  for (const SourceChoice& camera : all)
    (camera.problem.empty() ? good : bad)
        .push_back(camera.input + " (" + camera.title + ")" + (camera.problem.empty() ? "" : ": " + camera.problem));
  if (all.empty())
    return {"cameras", "Cameras", false, "No camera was found.",
            "Plug one in to filter live video; on Linux it appears as /dev/video0."};
  std::string says = good.empty() ? "" : "There is " + listed(good) + ". ";
  for (const std::string& problem : bad) says += problem + " ";
  says.pop_back();
  return {"cameras", "Cameras", !good.empty(), says, ""};
}

FolderUse use_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  FolderUse use{folder};
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (!at->is_regular_file(gone) || at->is_symlink(gone)) continue;
    const std::uintmax_t size = at->file_size(gone);
    if (gone) continue;
    use.bytes += size;
    ++use.files;
  }
  return use;
}

// As the window remembers it; what cannot be read of that changes nothing here.
SavingFolder saving_folder() {
  Settings settings = default_settings();
  read_session(KeptFile(session_path(), "session").read(), settings);
  std::error_code unknown;
  const std::string here = std::filesystem::current_path(unknown).string(), chosen = settings.recording.folder;
  if (!chosen.empty()) return {whole_path(chosen, here), whole_path(chosen, here), true};
  const UserFolders own = user_folders(here);
  return {own.videos, own.pictures};
}

// The card's name. In a process of its own, which can be ended when a library in it waits for ever: JACK's does where a
// program was killed that had locked its database.
std::string name_of_sound_card() {
  constexpr int patience_ms = 5000;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error("The sound system could not be asked: " + std::generic_category().message(errno) + ".");
  const pid_t asked = fork();
  if (asked == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::string answer;
    try {
      answer = "+" + open_sound_card()->name();
    } catch (const std::exception& error) {
      answer = std::string("-") + error.what();
    }
    _exit(write(ends[1], answer.data(), answer.size()) > 0 ? 0 : 1);
  }
  close(ends[1]);
  pollfd answered{ends[0], POLLIN, 0};
  std::string answer(4096, '\0');
  const ssize_t length =
      asked > 0 && poll(&answered, 1, patience_ms) > 0 ? read(ends[0], answer.data(), answer.size()) : 0;
  close(ends[0]);
  if (asked > 0) {
    kill(asked, SIGKILL);
    waitpid(asked, nullptr, 0);
  }
  if (length <= 0)
    throw Error(
        "The sound system does not answer. A program that was killed may have left it locked: delete "
        "/dev/shm/jack_db-*, if there is such a folder.");
  answer.resize(static_cast<std::size_t>(length));
  if (answer[0] == '-') throw Error(answer.substr(1));
  return answer.substr(1);
}

Finding sound() {
  constexpr const char* copied =
      " The sound of a file is copied, as it is, into filtered files, and into recordings unless it is filtered.";
  try {
    return {"sound", "Sound", true, "The sound of files is heard through '" + name_of_sound_card() + "'." + copied, ""};
  } catch (const Error& error) {
    return {"sound", "Sound", false, std::string(error.what()) + copied,
            "With a sound card, or a sound server such as PipeWire, it is heard as well, in step with the picture."};
  }
}

}  // namespace

Checkup check_machine() {
  log::set_level(log::Level::nothing);  // what fails is a finding
  Checkup checkup;
  std::vector<Finding>& findings = checkup.findings;
  const std::string why_no_cuda = why_unavailable(Backend::cuda);
  checkup.devices = list_devices(Backend::cuda);
  const bool cuda = why_no_cuda.empty();
  findings.push_back(program());
  const std::vector<Device> cpus = list_devices(Backend::cpu);
  findings.push_back({"cpu", "CPU", !cpus.empty(),
                      (cpus.empty() || cpus[0].name.empty() ? "A processor" : cpus[0].name) + ", " +
                          std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads.",
                      ""});
  findings.push_back(driver());
  findings.push_back(gpu(why_no_cuda, checkup.devices));
  const std::string why_no_window = why_no_display();
  findings.push_back({"display", "Display", why_no_window.empty(),
                      why_no_window.empty() ? "A window can be opened." : why_no_window,
                      why_no_window.empty() ? ""
                                            : "With a display the window opens; without one, pictures are drawn "
                                              "offscreen and left as files."});
  try_opengl(why_no_window.empty(), cuda, findings);
  const int device = checkup.devices.empty() ? 0 : checkup.devices[0].ordinal;
  findings.push_back(codecs("nvdec", "NVDEC", try_nvdec(device), "decoded on the GPU",
                            "An NVIDIA GPU and driver with NVDEC decode video without the CPU, and its frames stay on "
                            "the GPU. FFmpeg decodes on the CPU until then."));
  findings.push_back(
      codecs("nvenc", "NVENC", try_nvenc(device), "encoded on the GPU",
             "A GPU with NVENC (GeForce, RTX and workstation GPUs; not A100 or H100) records without the "
             "CPU. Recordings are encoded on the CPU until then."));
  findings.push_back(codecs("encoders", "Recording", try_software_encoders(), "encoded on the CPU",
                            "Install an FFmpeg with libx264 to record."));
  findings.push_back({"ffmpeg", "FFmpeg", true, "FFmpeg " + ffmpeg_version() + ".", ""});
  checkup.cameras = source_named("camera").choices();
  findings.push_back(cameras(checkup.cameras));
  findings.push_back(sound());
  checkup.libraries = optional_libraries();
  for (const OptionalLibrary& library : checkup.libraries)
    findings.push_back({"library/" + library.name, library.name, library.missing.empty(),
                        library.missing.empty() ? "Found in " + library.path + "." : sentence(library.missing),
                        library.missing.empty() ? "" : "It brings " + library.brings + ", on an NVIDIA GPU."});
  checkup.cache = use_of(cache_folder());
  checkup.saving = saving_folder();
  return checkup;
}

}  // namespace convoscope
