"""Reports in a browser: they fit, answer, and do nothing else.

PICTURES names a folder for pictures of the pages, to be looked at."""
import os
import signal
import time

from browser import Browser
from pages import SIM, Reported, main
from test_report import Hostile as HostileText

PICTURES = os.environ.get("PICTURES")

# what is wider than the window, outside of what may be scrolled sideways
TOO_WIDE = """[...document.querySelectorAll("body *")].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5) &&
    !e.closest(".scroll, .unseen, .skip, pre, .u-over, .u-select");
}).map(e => e.tagName + "." + e.className + " " + e.textContent.slice(0, 40))"""

# letters that lie on other letters, in a drawing
OVERLAPS = """[...document.querySelectorAll("svg")].flatMap(svg => {
  const all = [...svg.querySelectorAll("text")].map(t => [t.textContent,
    t.getBoundingClientRect(), svg.getBoundingClientRect()])
    .filter(t => t[1].width > 0);
  const bad = [];
  all.forEach(([a, x, frame], i) => {
    if (x.right > frame.right + 1 || x.left < frame.left - 1 ||
        x.bottom > frame.bottom + 1 || x.top < frame.top - 1)
      bad.push("cut: " + a);
    all.slice(i + 1).forEach(([b, y]) => {
      if (x.left < y.right - 1 && y.left < x.right - 1 &&
          x.top < y.bottom - 2 && y.top < x.bottom - 2) bad.push(a + " / " + b);
    });
  });
  return bad;
})"""

BLANK = """[...document.querySelectorAll("figure.chart canvas")].filter(c => {
  const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
  return !data.some((v, i) => i % 4 === 3 && v > 0);
}).length"""


class InBrowser(Reported):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def look(self, name, width, **how):
        b = self.browser
        b.open(self.path("run.html"), width=width, **how)
        self.assertEqual(b.complaints(), [])
        self.assertEqual(b.run(TOO_WIDE), [])
        self.assertLessEqual(b.run("document.documentElement.scrollWidth"),
                             width)
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            b.picture(os.path.join(PICTURES, f"{name}-{width}.png"))

    def look_everywhere(self, name):
        """Live, in both schemes, and as drawings, wide and narrow."""
        b = self.browser
        figures = len(self.report().charts)
        for width in (1280, 360):
            for dark in (False, True):
                self.look(name + ("-dark" if dark else ""), width, dark=dark)
                if b.run("typeof uPlot") == "function":
                    self.assertEqual(b.run("document.querySelectorAll("
                                           "'figure.live canvas').length"),
                                     figures)
                    self.assertEqual(b.run(BLANK), 0)
            self.look(name + "-plain", width, script=False)
            self.assertEqual(b.run(OVERLAPS), [])
            drawn = b.run("[...document.querySelectorAll('.plot svg')].filter("
                          "s => s.getBoundingClientRect().width > 0).length")
            self.assertEqual(drawn, figures)


class States(InBrowser):
    def names(self, count):
        self.write("names", "".join(f"thickness_of_panel_{i}\n"
                                    for i in range(count)))
        return ("--names", "names")

    def test_the_page_of_a_finished_run_is_shown(self):
        self.minimize("--worker", SIM, "--dim", 24, *self.names(24))
        self.look_everywhere("done")

    def test_the_page_of_a_run_with_bounds_and_failures_is_shown(self):
        self.minimize("--worker", f"{SIM} fail=9 say='the mesh is tangled near "
                      "the trailing edge, /a/very/long/path/without/any/blank/"
                      "in/it/that/could/be/broken/anywhere'", "--dim", 24,
                      *self.names(24), "--lower", -0.1, "--upper", 3,
                      "--max-evals", 400, code=3)
        self.look_everywhere("failures")

    def test_the_page_of_an_unfinished_run_is_shown(self):
        process = self.start("minimize", "--worker", f"{SIM} delay=0.02",
                             "--dim", 24, "--journal", "run.db", "--quiet")
        while True:
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            status = self.run_lrgd("status", "run.db", "--json").stdout
            if '"evaluations": 5' in status or '"rank"' in status:
                break
        self.assertEqual(self.report().state(), "running")
        process.send_signal(signal.SIGSTOP)  # that it be one page we look at
        try:
            self.look_everywhere("running")
        finally:
            process.send_signal(signal.SIGCONT)

    def test_the_page_of_a_run_that_has_hardly_begun_is_shown(self):
        self.minimize("--worker", SIM, "--dim", 24, "--max-evals", 1, code=3)
        self.look_everywhere("begun")

    def test_the_page_of_a_long_run_of_many_inputs_is_shown(self):
        self.minimize("quadratic", "--set", "p=20000", "--set", "rank=6")
        self.look_everywhere("many")


class Use(InBrowser):
    def setUp(self):
        super().setUp()
        self.minimize("--worker", SIM, "--dim", 12, "--method", "quasi-newton")
        self.report()
        self.browser.open(self.path("run.html"))
        if self.browser.run("typeof uPlot") != "function":
            self.skipTest("built without uPlot: there are no live charts")

    def test_a_chart_is_read_by_keyboard(self):
        b = self.browser
        b.run("document.querySelector('#progress .plot').focus()")
        said = []
        for key in ("ArrowRight", "ArrowRight", "End", "Home"):
            b.press(key)
            said.append(b.run("document.getElementById('live').textContent"))
        self.assertRegex(said[0], r"^evaluations 1: each evaluation [\d.]+, "
                                  r"best so far [\d.]+$")
        self.assertRegex(said[1], r"^evaluations 2: ")
        self.assertEqual(said[3], said[0])
        self.assertEqual(len(set(said)), 3)

    def test_everything_that_scrolls_or_answers_is_reached(self):
        hidden = self.browser.run(
            "[...document.querySelectorAll('.plot, .scroll, .phases')]"
            ".filter(e => e.tabIndex !== 0 || !e.getAttribute('aria-label'))"
            ".length")
        self.assertEqual(hidden, 0)

    def test_every_focusable_element_has_an_accessible_name(self):
        """As a screen reader is told it, by the browser's own reckoning."""
        b = self.browser
        b.ask("Accessibility.enable")
        nodes = b.ask("Accessibility.getFullAXTree")["nodes"]
        b.ask("Accessibility.disable")
        wanted = {"button", "link", "radio", "image", "img", "region",
                  "heading", "table", "DisclosureTriangle", "figure"}
        unnamed, roles = [], set()
        for node in nodes:
            role = node.get("role", {}).get("value")
            can = any(p["name"] == "focusable" and p["value"]["value"]
                      for p in node.get("properties", []))
            if node.get("ignored") or not (can or role in wanted):
                continue
            roles.add(role)
            if role in ("RootWebArea", "table", "figure"):
                continue  # the page has a title; these lie in what has a name
            if not node.get("name", {}).get("value", "").strip():
                unnamed.append(role)
        self.assertEqual(unnamed, [])
        self.assertLessEqual({"button", "link", "radio", "heading"}, roles)

    def test_a_walk_by_tab_comes_through_the_whole_page(self):
        b = self.browser
        b.run("document.body.focus()")
        places, order = [], b.run(
            "[...document.querySelectorAll('a[href], button, input:checked,"
            "summary, [tabindex]')].filter(e => e.offsetParent &&"
            "(e.tagName === 'SUMMARY' || !e.closest('details:not([open])')))"
            ".map((e, i) => (e.dataset.walk = i, i))")
        for _ in range(3 * len(order)):
            b.ask("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab",
                  code="Tab", windowsVirtualKeyCode=9)
            b.ask("Input.dispatchKeyEvent", type="keyUp", key="Tab",
                  code="Tab", windowsVirtualKeyCode=9)
            at = b.run("document.activeElement.dataset.walk")
            if at is None or int(at) in places:
                break
            places.append(int(at))
        self.assertEqual(places, order)

    def test_the_scale_can_be_chosen(self):
        b = self.browser
        b.run("document.querySelectorAll('#progress input')[2].click()")
        self.assertIn("above the lowest", b.run(
            "document.querySelector('#progress .scales :checked')"
            ".parentElement.textContent"))
        self.assertEqual(b.run(BLANK), 0)
        self.assertEqual(b.complaints(), [])

    def test_the_best_point_is_copied_and_saved(self):
        b = self.browser
        b.run("""window.saved = null; URL.createObjectURL = blob =>
            (window.saved = blob, "#"); document.getElementById("save").click();
            document.getElementById("copy").click()""")
        text = b.run("window.saved.text()")
        self.assertEqual(text, b.run("document.getElementById('csv')"
                                     ".textContent"))
        self.assertEqual(len(text.splitlines()), 13)
        time.sleep(0.2)
        self.assertRegex(b.run("document.getElementById('live').textContent"),
                         "copied|copy it now")


class Harm(InBrowser, HostileText):
    def test_a_hostile_journal_makes_an_inert_page(self):
        self.hostile_page()
        for width in (1280, 360):
            self.look("hostile", width)
        self.assertEqual(self.browser.run("document.images.length"), 0)
        self.assertEqual(self.browser.run(
            "[...document.scripts].filter(s => !s.type).length"), 1)

    def test_ten_thousand_hostile_names_are_inert(self):
        self.many_hostile_names()
        self.look("many-hostile", 360)
        self.assertEqual(self.browser.run("document.images.length"), 0)

    def test_the_content_security_policy_is_in_force(self):
        """A script that got into the page would not run."""
        self.minimize("quadratic", "--set", "p=5")
        page = self.report().source
        self.write("run.html", page.replace("</h1>", "</h1><script>"
                                            "document.title='gone'</script>"
                                            "<img src='http://127.0.0.1:9/x'>"))
        self.browser.open(self.path("run.html"))
        self.assertNotEqual(self.browser.run("document.title"), "gone")
        refused = " ".join(self.browser.complaints())
        self.assertIn("Content Security Policy", refused)


# its own tests were run as text
for name in [n for n in dir(HostileText) if n.startswith("test_")]:
    setattr(Harm, name, None)
del HostileText

if __name__ == "__main__":
    main()
