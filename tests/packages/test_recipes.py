"""The recipes for other packagers agree with the tree."""
import ast
import json
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import main  # noqa: E402


def text(*names):
    with open(os.path.join(TOP, *names), encoding="utf-8") as file:
        return file.read()


def packaging(*names):
    return text("packaging", *names)


VERSION = ".".join(re.findall(
    r"^#define LRGD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
    text("include", "lrgd", "lrgd.h"), re.MULTILINE))
RECIPES = {"conda-forge/meta.yaml": r'version = "(.+?)"',
           "homebrew/lrgd.rb": r'version "(.+?)"',
           "spack/package.py": r'version\("(.+?)"'}


class Recipes(unittest.TestCase):
    def test_all_name_the_version_of_the_header(self):
        for name, pattern in RECIPES.items():
            found = re.search(pattern, packaging(*name.split("/")))
            self.assertEqual(found.group(1), VERSION, name)
        for name in ("package.json", "package-lock.json"):
            self.assertEqual(json.loads(text("report", name))["version"],
                             VERSION, name)
        self.assertIn(f"lrgd ({VERSION})",
                      text("debian", "changelog").split("\n")[0])
        self.assertIn(f"## {VERSION}", text("CHANGELOG.md"))

    def test_cmake_knows_every_option_that_they_set(self):
        known = set(re.findall(r"option\((LRGD_\w+)", text("CMakeLists.txt")))
        known |= set(re.findall(r"LRGD_PYTHON_DIR",
                                text("python", "CMakeLists.txt")))
        files = [*RECIPES, "conda-forge/build.sh"]
        set_by = [name for file in files
                  for name in re.findall(r'(?:-D|")(LRGD_[A-Z_]+)',
                                         packaging(*file.split("/")))]
        self.assertLessEqual(set(set_by), known)
        self.assertGreaterEqual(len(set_by), 9)

    def test_the_recipe_of_spack_is_python_and_shell_is_shell(self):
        tree = ast.parse(packaging("spack", "package.py"))
        made = [one for one in tree.body if isinstance(one, ast.ClassDef)]
        self.assertEqual([one.name for one in made], ["Lrgd"])
        for script in ("conda-forge/build.sh", "fill"):
            done = subprocess.run(
                ["bash", "-n", os.path.join(TOP, "packaging", script)])
            self.assertEqual(done.returncode, 0, script)

    def test_workflows_and_container_call_verbs_of_the_makefile(self):
        verbs = re.search(r"^\.PHONY: (.*)$", text("Makefile"),
                          re.MULTILINE).group(1).split()
        called = [word for source in (text(".github", "workflows", "build.yml"),
                                      packaging("container", "Containerfile"))
                  for word in re.findall(r"(?:run: |RUN |&& )make ([\w-]+)",
                                         source)]
        self.assertIn("test", called)
        self.assertIn("install", called)
        for verb in called:
            self.assertIn(verb, verbs)

    def test_yaml_can_be_read(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no yaml")
        jobs = yaml.safe_load(text(".github", "workflows", "build.yml"))["jobs"]
        self.assertEqual(set(jobs), {"linux", "dist", "macos", "windows"})
        recipe = re.sub(r"\{%.*?%\}", "",
                        packaging("conda-forge", "meta.yaml"))
        recipe = re.sub(r"\{\{.*?\}\}", "filled", recipe)
        self.assertEqual(yaml.safe_load(recipe)["package"]["name"], "lrgd")


main()
