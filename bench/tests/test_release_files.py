"""Tests that the files of a release agree with each other and with the workspace; nothing is fetched."""

import importlib.util
import re
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from hashlib import sha256
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
YAML = [
    *WORKFLOWS,
    *(ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"),
    ROOT / ".github/dependabot.yml",
    ROOT / "action.yml",
    ROOT / ".pre-commit-hooks.yaml",
    ROOT / "CITATION.cff",
    ROOT / "packaging/conda/recipe.yaml",
]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
PYTHON = ROOT / "crates/nearprint-python"


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def program(name: str):
    """A program of the folder packaging, as a module. A package of that name is installed with many others."""
    place = ROOT / f"packaging/{name}.py"
    spec = importlib.util.spec_from_file_location(name, place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def jobs(workflow: Path) -> dict:
    return yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]


class Workflows(unittest.TestCase):
    def test_there_are_some(self):
        names = {path.name for path in WORKFLOWS}
        self.assertEqual(names, {"ci.yml", "container.yml", "release.yml", "wheels.yml"})

    def test_all_files_can_be_read(self):
        for path in YAML:
            with self.subTest(path.name):
                self.assertTrue(yaml.safe_load(path.read_text(encoding="utf-8")))

    def test_actions_are_pinned_by_hash(self):
        """A tag of somebody else's repository can be moved. Beside the hash stands its version."""
        pins, local = {}, set()
        for path in [*WORKFLOWS, ROOT / "action.yml"]:
            for line in path.read_text(encoding="utf-8").splitlines():
                if not (found := re.match(r"\s*(?:- )?uses:\s*(\S+)(.*)", line)):
                    continue
                if found[1].startswith("./"):
                    local.add(found[1])
                    continue
                name, _, hash_ = found[1].partition("@")
                with self.subTest(f"{path.name}: {line.strip()}"):
                    self.assertRegex(hash_, r"^[0-9a-f]{40}$")
                    self.assertRegex(found[2], r"^ # v\d+\.\d+\.\d+$")
                    self.assertEqual(pins.setdefault(name, hash_), hash_)
        self.assertGreater(len(pins), 10)
        self.assertEqual({(ROOT / name).is_file() for name in local}, {True})

    def test_nobody_may_more_than_needed(self):
        for path in WORKFLOWS:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
            with self.subTest(path.name):
                self.assertEqual(data["permissions"], {"contents": "read"})
                self.assertIn("group", data["concurrency"])
                for name, job in data["jobs"].items():
                    self.assertTrue("timeout-minutes" in job or "uses" in job, name)
                    if "write" in job.get("permissions", {}).values() and "steps" in job:
                        # Who publishes needs the approval of a maintainer.
                        pushes = name == "build" and path.name == "container.yml"
                        self.assertTrue("environment" in job or pushes, name)

    def test_what_is_published_was_tried(self):
        release = jobs(ROOT / ".github/workflows/release.yml")
        for name in ["github", "pypi", "crates"]:
            self.assertEqual(release[name]["needs"], ["plan", "wheels", "binaries"])
            self.assertEqual(release[name]["if"], "needs.plan.outputs.publish != ''")


class Versions(unittest.TestCase):
    def test_they_are_that_of_the_workspace(self):
        version = WORKSPACE["version"]
        recipe = yaml.safe_load(text("packaging/conda/recipe.yaml"))
        self.assertEqual(yaml.safe_load(text("CITATION.cff"))["version"], version)
        self.assertEqual(recipe["context"]["version"], version)
        self.assertEqual(
            yaml.safe_load(text("action.yml"))["inputs"]["version"]["default"], version
        )
        self.assertIn(f"/v{version}.tar.gz", text("packaging/homebrew/nearprint.rb"))
        for page in ["docs/verbs.md", "docs/zh-CN/verbs.md"]:
            self.assertIn(f"nearprint/nearprint@v{version}\n", text(page))
            self.assertIn(f"rev: v{version}\n", text(page))
        crates = tomllib.loads(text("Cargo.toml"))["workspace"]["dependencies"]
        for name in ["nearprint-core", "nearprint", "nearprint-server", "nearprint-cli"]:
            self.assertEqual(crates[name]["version"], version)

    def test_rust_is_the_one_that_is_promised(self):
        rust = re.escape(WORKSPACE["rust-version"])
        for path in [*WORKFLOWS, ROOT / "packaging/Dockerfile"]:
            named = re.findall(
                r'(?:RUSTUP_TOOLCHAIN|RUST_VERSION|rust-version): "([\d.]+)"|FROM rust:([\d.]+)',
                path.read_text(encoding="utf-8"),
            )
            for found in named:
                self.assertRegex("".join(found), f"^{rust}$", path.name)

    def test_maturin_is_the_one_that_is_tested(self):
        maturin = re.search(
            r"^maturin==(.*)$", text("crates/nearprint-python/requirements-test.txt"), re.MULTILINE
        )
        self.assertIn(f"MATURIN_VERSION: v{maturin[1]}\n", text(".github/workflows/wheels.yml"))

    def test_dependencies_of_the_recipe_are_those_of_the_package(self):
        package = tomllib.loads(text("crates/nearprint-python/pyproject.toml"))
        run = yaml.safe_load(text("packaging/conda/recipe.yaml"))["requirements"]["run"]
        self.assertEqual(
            sorted(name.replace(" ", "") for name in run if name != "python"),
            sorted(package["project"]["dependencies"]),
        )


class Licenses(unittest.TestCase):
    def test_the_package_has_copies_of_the_licenses(self):
        for name in ["LICENSE-MIT", "LICENSE-APACHE"]:
            self.assertEqual((PYTHON / name).read_bytes(), (ROOT / name).read_bytes(), name)
        package = tomllib.loads(text("crates/nearprint-python/pyproject.toml"))["project"]
        files = ["LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"]
        self.assertEqual(package["license-files"], files)

    def test_the_list_has_the_dictionaries_and_no_other_version_of_a_crate(self):
        """That no crate is missing, `packaging/third_party.py --check` says, which asks cargo."""
        listed = (PYTHON / "THIRD-PARTY.txt").read_text(encoding="utf-8")
        for name in ["jieba", "Sun Junyi", "OpenCC", "BYVoid", "SQLite", "Zstandard"]:
            self.assertIn(name, listed)
        locked = {
            (package["name"], package["version"])
            for package in tomllib.loads(text("Cargo.lock"))["package"]
        }
        crates = re.findall(r"^([a-z][\w-]*) (\d\S*) \(.*\)$", listed, re.MULTILINE)
        self.assertGreater(len(crates), 150)
        self.assertEqual([crate for crate in crates if crate not in locked], [])


class Programs(unittest.TestCase):
    def test_archives_are_where_binstall_looks(self):
        cargo = tomllib.loads(text("crates/nearprint-cli/Cargo.toml"))
        metadata = cargo["package"]["metadata"]["binstall"]
        archive = program("archive")
        for target, override, ending in [
            ("x86_64-unknown-linux-gnu", {}, ".tar.xz"),
            ("x86_64-pc-windows-msvc", metadata["overrides"]["x86_64-pc-windows-msvc"], ".zip"),
        ]:
            binary = ".exe" if ending == ".zip" else ""
            filled = {**metadata, **override}
            for key, value in [
                ("{ repo }", WORKSPACE["repository"]),
                ("{ version }", WORKSPACE["version"]),
                ("{ target }", target),
                ("{ archive-suffix }", ending),
                ("{ bin }", "nearprint"),
                ("{ binary-ext }", binary),
            ]:
                for setting in ["pkg-url", "bin-dir"]:
                    filled[setting] = filled[setting].replace(key, value)
            with self.subTest(target), tempfile.TemporaryDirectory() as place:
                made = Path(place, f"nearprint{binary}")
                made.write_bytes(b"the program")
                packed = archive.pack(target, made, Path(place))
                self.assertEqual(
                    filled["pkg-url"],
                    f"{WORKSPACE['repository']}/releases/download/v{WORKSPACE['version']}/{packed.name}",
                )
                if ending == ".zip":
                    with zipfile.ZipFile(packed) as opened:
                        names = opened.namelist()
                        self.assertEqual(opened.read(filled["bin-dir"]), b"the program")
                else:
                    with tarfile.open(packed) as opened:
                        names = opened.getnames()
                        member = opened.getmember(filled["bin-dir"])
                        self.assertEqual(member.mode, 0o755)
                        self.assertEqual(opened.extractfile(member).read(), b"the program")
                inside = {name.rsplit("/", 1)[-1] for name in names}
                self.assertLessEqual({"LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"}, inside)
                self.assertEqual(
                    Path(f"{packed}.sha256").read_text(),
                    f"{sha256(packed.read_bytes()).hexdigest()} *{packed.name}\n",
                )

    def test_every_target_is_named_everywhere(self):
        binaries = jobs(ROOT / ".github/workflows/release.yml")["binaries"]["strategy"]["matrix"]
        targets = {row["target"] for row in binaries["include"]}
        self.assertEqual(targets, set(program("third_party").TARGETS))
        wheels = jobs(ROOT / ".github/workflows/wheels.yml")["build"]["strategy"]["matrix"]
        self.assertEqual({row["target"] for row in wheels["include"]}, targets)
        wanted = set(re.findall(r"target=(\S+)", text("action.yml")))
        self.assertTrue(wanted and wanted <= targets, wanted)

    def test_the_hook_and_the_action_run_a_program_that_is_there(self):
        (hook,) = yaml.safe_load(text(".pre-commit-hooks.yaml"))
        self.assertTrue((ROOT / hook["entry"]).stat().st_mode & 0o100)
        self.assertIn(hook["entry"], text("action.yml"))

    def test_release_notes_are_a_section_of_the_changelog(self):
        notes = program("release_notes")
        changelog = """# Changelog

## [Unreleased]

## [0.2.0] - 2027-01-02

### Added

- An option, as in `[0.1.0]`.

## 0.1.0

The first one.

[0.2.0]: https://example.org
"""
        self.assertEqual(
            notes.section(changelog, "0.2.0"), "### Added\n\n- An option, as in `[0.1.0]`."
        )
        self.assertEqual(notes.section(changelog, "0.1.0"), "The first one.")
        for version in ["Unreleased", "0.3.0"]:
            with self.assertRaisesRegex(ValueError, version):
                notes.section(changelog, version)
        self.assertTrue(notes.section(notes.CHANGELOG.read_text(encoding="utf-8"), "Unreleased"))


if __name__ == "__main__":
    unittest.main()
