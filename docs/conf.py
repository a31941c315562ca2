"""How the site is built from these pages.  tools/site does it."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import theme  # noqa: E402

# tools/site copies the pages to where it builds, and says where they are from
root = os.environ.get("LRGD_ROOT", os.path.join(os.path.dirname(__file__), ".."))
with open(os.path.join(root, "include/lrgd/lrgd.h"), encoding="utf-8") as file:
    header = file.read()

project = "lrgd"
author = copyright = "the lrgd authors"
version = release = ".".join(
    re.search(rf"#define LRGD_VERSION_{part} (\d+)", header).group(1)
    for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
napoleon_use_ivar = True
# groups of parameters in docstrings
napoleon_custom_sections = [(title, "params_style") for title in (
    "What else f tells", "Where to look", "What is shown",
    "Workers and journals", "More keywords", "How to search", "When to end",
    "Losses and weights",
    "SciPy's names", "What is told of the fit")]
# types of other packages have no page here
nitpick_ignore_regex = [(r"py:.*", r".*")]
myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 3
# pages of runs, as they are; parts of pages that others include
html_extra_path = ["extra"]
exclude_patterns = ["extra", "made/benchmark-sentence.md",
                    "made/gallery-cards.md"]

html_theme = "furo"
html_title = f"lrgd {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_logo = "static/mark.svg"
html_favicon = "static/mark.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False


def setup(app):
    """Docstrings are plain text: |grad f| is no substitution, and a star is
    a star; code in them is shown as it is."""
    def plain(_app, _what, _name, _object, _options, lines):
        lines[:] = [line if re.match(r"\s*(>>>|\.\.\.) ", line) else
                    re.sub(r"(?<!\\)([|*])", r"\\\1", line) for line in lines]

    def mend(_app, trouble):
        if trouble is None:
            theme.mend(app.outdir)
    # before napoleon makes lists of sections, whose stars are lists
    app.connect("autodoc-process-docstring", plain, priority=400)
    app.connect("build-finished", mend)
