"""make package: what the .deb and the archive hold and ask for, made by CPack from what this tree installs.

    package_test.py BUILD [--cuda 13.0]

A sanitizer's program takes half a minute to pack. So what is packed is the program without its code and data: CPack,
dpkg-shlibdeps and dpkg-deb do with it what they do with the whole, which no clause here is about, in a tenth of the time.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ARGUMENTS = None
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEAVY = [".text", ".rodata", ".data", ".data.rel.ro", ".rela.dyn", ".eh_frame", ".gcc_except_table", ".nv_fatbin"]
FILES = {
    "bin/convoscope",
    "share/applications/convoscope.desktop",
    "share/bash-completion/completions/convoscope",
    "share/doc/convoscope/copyright",
    "share/fish/vendor_completions.d/convoscope.fish",
    "share/icons/hicolor/scalable/apps/convoscope.svg",
    "share/man/man1/convoscope.1.gz",
    "share/mime/packages/convoscope.xml",
}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        tree, build = os.path.join(cls.folder.name, "tree"), ARGUMENTS.build
        os.mkdir(tree)
        run("objcopy", "--strip-all", *(f"--remove-section={name}" for name in HEAVY), f"{build}/convoscope", f"{tree}/convoscope")
        # Installing writes its list of files into the build, where another test may be at it.
        with open(f"{build}/cmake_install.cmake") as script:
            moved = script.read().replace(f'"{build}/convoscope"', f'"{tree}/convoscope"').replace(
                f'"{build}/${{CMAKE_INSTALL_MANIFEST}}"', f'"{tree}/${{CMAKE_INSTALL_MANIFEST}}"')
        assert moved.count(f'"{tree}/') == 2, "the install script names neither the program nor its list as it used to"
        with open(f"{tree}/cmake_install.cmake", "w") as script:
            script.write(moved)
        # The generators are those of the project: none is named here.
        run("cpack", "--config", f"{build}/CPackConfig.cmake", "-B", cls.folder.name, "-D",
            f"CPACK_INSTALL_CMAKE_PROJECTS={tree};convoscope;ALL;/", cwd=cls.folder.name)
        packages = [name for name in os.listdir(cls.folder.name) if os.path.isfile(os.path.join(cls.folder.name, name))]
        cls.deb = [os.path.join(cls.folder.name, name) for name in packages if name.endswith(".deb")]
        cls.archive = [os.path.join(cls.folder.name, name) for name in packages if name.endswith(".tar.gz")]
        assert len(cls.deb) == len(cls.archive) == 1, f"a .deb and an archive, not {packages}"
        run("dpkg-deb", "-e", cls.deb[0], os.path.join(cls.folder.name, "control"))

    def field(self, name):
        return run("dpkg-deb", "-f", self.deb[0], name).strip()

    def named(self, field):
        return [re.sub(r" \(.*\)", "", word) for word in self.field(field).split(", ") if word]

    def test_the_deb_holds_the_program_its_documents_and_nothing_else(self):
        lines = run("dpkg-deb", "-c", self.deb[0]).splitlines()
        self.assertTrue(all(line.split()[1] == "root/root" for line in lines), lines)
        names = [line.split(None, 5)[5].removeprefix("./") for line in lines]
        self.assertTrue(all(name in ("", "usr/") or name.startswith("usr/") for name in names), names)
        self.assertFalse([name for name in names if name.startswith("usr/local")])
        expected = {f"usr/{name}" for name in FILES}
        zsh = "vendor-completions" if os.path.exists("/etc/debian_version") else "site-functions"
        self.assertEqual({name for name in names if not name.endswith("/")}, expected | {f"usr/share/zsh/{zsh}/_convoscope"})
        self.assertFalse([name for name in os.listdir(os.path.join(self.folder.name, "control"))
                          if name not in ("control", "md5sums")], "scripts of ours run as root for nobody")

    def test_the_archive_may_be_unpacked_anywhere(self):
        with tarfile.open(self.archive[0]) as archive:
            top = re.sub(r"\.tar\.gz$", "", os.path.basename(self.archive[0]))
            names = [member.name for member in archive.getmembers() if not member.isdir()]
        self.assertEqual(set(names), {f"{top}/{name}" for name in FILES} | {f"{top}/share/zsh/site-functions/_convoscope"})

    def test_dependencies_are_named_and_the_driver_is_the_machines_own(self):
        depends = self.named("Depends")
        for name in ("libc6", r"libavcodec\d+", r"libglfw3", r"libpng16-16\w*", r"libstdc\+\+6"):
            self.assertTrue([word for word in depends if re.fullmatch(name, word)], f"{name} in {depends}")
        self.assertFalse([word for word in depends if re.search("cuda|nvidia|cublas|cufft|nvrtc|cudnn|npp", word)])
        self.assertFalse([word for word in depends if word.startswith(("libgl1", "libgl-"))], "OpenGL is opened at run time")

    def test_libraries_of_cuda_are_recommended(self):
        recommended = self.named("Recommends")
        self.assertIn("libgl1", recommended)
        if ARGUMENTS.cuda:
            major, minor = ARGUMENTS.cuda.split(".")[:2]
            for name in ("libcublas", "libcufft", "cuda-nvrtc", "libnpp"):
                self.assertIn(f"{name}-{major}-{minor}", recommended)
            self.assertIn(f"libcudnn9-cuda-{major}", recommended)
        self.assertEqual(self.named("Suggests"), ["ffmpeg"])
        self.assertFalse(self.field("Pre-Depends") + self.field("Conflicts"))

    def test_it_says_what_it_is(self):
        self.assertEqual(self.field("Package"), "convoscope")
        self.assertRegex(self.field("Version"), r"^\d+\.\d+")
        self.assertRegex(self.field("Architecture"), "amd64|arm64")
        self.assertIn("convolution kernels", self.field("Description"))
        self.assertNotIn("built using CMake", self.field("Description"))

    def test_it_has_code_for_every_architecture(self):
        with open(os.path.join(SOURCE, "CMakePresets.json")) as file:
            presets = {preset["name"]: preset for preset in json.load(file)["configurePresets"]}
        self.assertEqual(presets["package"]["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"], "all")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--cuda", default="")
    ARGUMENTS = parser.parse_args()
    ARGUMENTS.build = os.path.abspath(ARGUMENTS.build)
    unittest.main(argv=sys.argv[:1], verbosity=2)
