"""lrgd report: the page says what the run knew, and can do no harm."""
import html
import json
import os
import re
import shlex
import signal
import subprocess
import time

from pages import LRGD, SIM, Page, Reported, forge_setting, main

HEADINGS = ["How far it came", "What was paid for",
            "What gradient descent would have paid", "What is certified",
            "Along which directions", "Which inputs matter",
            "What f looks like there", "What failed", "The best point",
            "How it was run"]
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                        "examples")
RUN_DRIVER = os.path.join(os.environ.get("RUN_TESTS", ""), "run-driver")


def shortest(text):
    """No fewer digits would do."""
    return len(re.sub(r"\D|e.*", "", text.lstrip("-0.")) or "0") <= len(
        re.sub(r"\D|e.*", "", repr(float(text)).lstrip("-0.")) or "0")


class Form(Reported):
    def test_a_report_is_one_file_that_loads_nothing_from_a_network(self):
        self.minimize("--worker", SIM, "--dim", 12, "--method", "quasi-newton")
        page = self.report()
        self.assertEqual([h for h in HEADINGS if h not in page.text()], [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        for word in ("http:", "https:", "//", "url(", "@import", "@font-face"):
            self.assertNotIn(word, page.code["style"])
        self.assertNotIn("fetch(", page.code["script"])
        self.assertNotIn("XMLHttpRequest", page.code["script"])
        self.assertNotIn(self.folder, page.source)

    def test_the_policy_allows_what_the_page_carries_and_no_more(self):
        self.minimize("quadratic", "--set", "p=20")
        page = self.report()
        self.assertEqual(page.policy(), (
            f"default-src 'none'; script-src '{page.sum_of('script')}'; "
            f"style-src '{page.sum_of('style')}'; base-uri 'none'; "
            "form-action 'none'"))

    def test_every_drawing_says_what_it_shows(self):
        self.minimize("--worker", SIM, "--dim", 12, "--method", "quasi-newton")
        page = self.report()
        self.assertEqual(set(page.charts), {"progress", "spending", "rank",
                                            "spectrum", "along", "plane"})
        self.assertEqual(len(page.drawings), 2 * len(page.charts))
        self.assertNotIn("", page.drawings)
        for name, chart in page.charts.items():
            self.assertTrue(chart["xLabel"] and chart["yLabel"], name)
            for series in chart["series"]:
                self.assertEqual(len(series["y"]), len(chart["x"]), name)

    def test_no_drawing_of_a_fit_is_empty(self):
        gauges = os.path.join(EXAMPLES, "residuals", "gauges.py")
        self.minimize("--worker", f"/usr/bin/python3 {gauges}", "--residuals",
                      "--dim", 30, "--start", 0.5, "--log", "all",
                      "--max-evals", 60, code=3)
        charts = self.report().charts
        self.assertIn("progress", charts)
        self.assertNotIn("rank", charts)  # known at the end alone
        for name, chart in charts.items():
            for series in chart["series"]:
                drawn = {x for x, y in zip(chart["x"], series["y"])
                         if y is not None}
                self.assertGreater(len(drawn), 1, name)

    def test_the_same_journal_gives_the_same_page(self):
        self.minimize("quadratic", "--set", "p=20")
        first, second = self.report().source, self.report().source
        stamp = re.compile(r"Written [^U]*UTC")
        self.assertEqual(stamp.sub("", first), stamp.sub("", second))


class Content(Reported):
    def check(self, *arguments, **more):
        """The page says what minimize said."""
        run = self.minimize(*arguments, **more)
        page = self.report()
        self.assertNotIn("own view of this run is not here", page.text())
        told = re.search(r"f = (\S+) at this point", page.text()).group(1)
        self.assertEqual((float(told), shortest(told)), (run["f"], True))
        names, x, start = page.csv()
        self.assertEqual(x, run["x"])
        self.assertEqual(page.state(), run["outcome"])
        self.assertIn(run["message"], page.text())
        for phase in run["phases"]:
            self.assertIn(phase["text"], page.text())
        bound = run["certificate"]
        if bound:
            self.assertIn(f"at most {bound['grad_norm_bound']:.3g}",
                          page.text())
        else:
            self.assertIn("nothing is certified", page.text())
        total = sum(s["y"][-1] for s in page.charts["spending"]["series"])
        self.assertEqual(total, run["evaluations"])
        os.remove(self.path("run.db"))
        return run, page

    def test_a_page_of_every_method_is_complete(self):
        for method in ("auto", "gd", "quasi-newton", "adaptive"):
            self.check("quadratic", "--set", "p=15", "--method", method)
        for method in ("lrgd", "iterated"):
            self.check("quadratic", "--set", "p=15", "--method", method,
                       "--rank", 5)

    def test_a_page_of_every_oracle_is_complete(self):
        for oracle in ("gradient", "slope", "complex"):
            self.check("quadratic", "--set", "p=15", "--oracle", oracle)

    def test_a_run_with_bounds_scales_and_logarithms_is_reported(self):
        self.check("--worker", SIM, "--dim", 8, "--lower", -1, "--upper", 0.05)
        self.check("--worker", SIM, "--dim", 8, "--scale", 0.3)
        self.check("--worker", SIM, "--dim", 8, "--start", 0.5, "--log", "all",
                   code=0)

    def test_a_used_budget_is_reported_with_the_command_to_continue(self):
        run, page = self.check("--worker", SIM, "--dim", 30, "--max-evals", 60,
                               code=3)
        self.assertIn("of 60 allowed", page.text())
        self.assertIn("lrgd resume run.db --worker", page.text())
        self.assertIn("--max-evals 120", page.text())

    def test_the_command_to_go_on_is_one_that_a_shell_reads(self):
        self.minimize("--worker", f"{SIM} fail=7 say='it is tangled'", "--dim",
                      6, "--max-evals", 20, code=3)
        said = html.unescape(self.report().between("<code>lrgd ", "</code>"))
        words = shlex.split(said)
        self.assertEqual(words[:3], ["resume", "run.db", "--worker"])
        self.run_lrgd(*words, "--quiet", code=3)

    def test_names_go_with_their_inputs(self):
        names = [f"input_{i}" for i in range(12)]
        self.write("names", "\n".join(names) + "\n")
        self.minimize("--worker", SIM, "--dim", 12, "--names", "names",
                      "--method", "quasi-newton")
        page = self.report()
        self.assertEqual(page.csv()[0], [f'"{name}"' for name in names])

    def test_no_number_has_more_digits_than_it_needs(self):
        self.write("start", "52.9\n0.1\n-0.3\n1e-7\n")
        self.minimize("--worker", SIM, "--dim", 4, "--start", "start",
                      "--max-evals", 1, code=3)
        page = self.report()
        csv = page.between('<pre id="csv" tabindex="0">', "</pre>")
        self.assertEqual([line.split(",")[1:] for line in csv.split()[1:]],
                         [["52.9"] * 2, ["0.1"] * 2, ["-0.3"] * 2,
                          ["1e-07"] * 2])

    def test_failures_are_counted_and_told(self):
        run = self.minimize("--worker", f"{SIM} fail=7 say='mesh is tangled'",
                            "--dim", 10, "--max-evals", 120, code=3)
        page = self.report()
        failed = run["counts"]["failures"]
        self.assertGreater(failed, 10)
        self.assertIn(f"{failed} evaluations of {run['evaluations']}",
                      page.text())
        self.assertIn("mesh is tangled", page.text())
        self.assertEqual(len(page.charts["progress"]["failed"]), failed)

    def test_directions_are_those_in_which_f_varies(self):
        self.minimize("quadratic", "--set", "p=9", "--set", "rank=2", "--set",
                      "rotation=none", "--set", "spectrum=1,4", "--method",
                      "lrgd", "--rank", 2, "--oracle", "gradient")
        page = self.report()
        spectrum = page.charts["spectrum"]["series"][0]["y"]
        self.assertAlmostEqual(sum(spectrum[:2]), 1, places=8)
        inputs = re.findall(r'<tr><th scope="row">(x\d+)</th><td class="n">'
                            r"([^ ]*) %", page.between("influence-h", "</sec"))
        self.assertEqual({name for name, _ in inputs[:2]}, {"x1", "x2"})
        for _, share in inputs[2:]:
            self.assertLess(float(share), 1e-9)

    def test_random_directions_are_called_so(self):
        self.minimize("quadratic", "--set", "p=300")
        page = self.report()
        self.assertIn("This run does not tell: it looked along 5 random "
                      "directions of 300", page.text())
        self.assertNotIn("loadings", page.source.split("</style>")[1]
                         .split("<script>")[0])
        self.assertIn("hangs on the weakest curvature", page.text())
        # a gradient where it begins, one where it ends
        self.assertIn("gradient descent, at least602", page.text())

    def test_a_diagnosis_shows_loadings_that_random_directions_do_not(self):
        problem = ("quadratic", "--set", "p=120", "--set", "rank=2", "--set",
                   "rotation=none", "--set", "spectrum=1,4")
        self.minimize(*problem)
        told = self.run_json("diagnose", *problem, "--journal", "seen.db",
                             "--held-out", 5)
        page = self.report("--diagnosis", "seen.db")
        inputs = re.findall(r'<tr><th scope="row">(x\d+)</th>',
                            page.between("influence-h", "</sec"))
        self.assertEqual(set(inputs[:2]), {"x1", "x2"})
        calls = told["predicted_calls"]["gd"]
        self.assertIn(f"gradient descent, about{calls / 120 * 121:,.0f} ",
                      page.text())
        self.run_lrgd("report", "seen.db")
        page = Page(self.read("seen.html"))
        self.assertEqual(page.wrong, [])
        self.assertIn(" ".join(told["verdict"].split()), page.text())
        self.assertIn("Which inputs matter", page.text())

    def test_a_diagnosis_of_something_else_is_refused(self):
        self.minimize("quadratic", "--set", "p=30")
        said = self.run_lrgd("report", "run.db", "--diagnosis", "run.db",
                             code=2).stderr
        self.assertIn("no journal of lrgd diagnose", said)
        self.run_json("diagnose", "quadratic", "--set", "p=20", "--journal",
                      "seen.db", "--held-out", 5)
        said = self.run_lrgd("report", "run.db", "--diagnosis", "seen.db",
                             code=2).stderr
        self.assertIn("20 inputs, the run has 30", said)

    def test_a_diagnosis_in_other_variables_is_run_again_in_them(self):
        for name, logs in ("both", "1\n4\n"), ("one", "1\n"):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(logs)
        problem = ("borehole", "--log", "both")
        few = ("--gradients", 10, "--held-out", 5, "--max-evals", 400)
        self.minimize(*problem)
        told = self.run_json("diagnose", *problem, "--journal", "seen.db",
                             *few)
        page = self.report("--diagnosis", "seen.db")
        self.assertIn("as they were scaled for the solver", page.text())
        self.run_lrgd("report", "seen.db")
        page = Page(self.read("seen.html"))
        self.assertEqual(page.wrong, [])
        self.assertIn(" ".join(told["verdict"].split()), page.text())
        shown = page.charts["spectrum"]["series"][0]["y"]
        for here, there in zip(shown, told["spectrum"], strict=True):
            self.assertAlmostEqual(here / there, 1, places=6)
        # in other variables other directions are found
        for other in ((), ("--log", "one"), ("--log", "both", "--scale", 2)):
            os.remove(os.path.join(self.folder, "seen.db"))
            self.run_json("diagnose", "borehole", *other, "--journal",
                          "seen.db", *few)
            said = self.run_lrgd("report", "run.db", "-o", "other.html",
                                 "--diagnosis", "seen.db", code=2).stderr
            self.assertIn("in other variables (--scale, --log)", said)

    def test_gradients_are_found_among_measurements_of_noise(self):
        self.minimize("--worker", f"{SIM} noise=1e-3", "--dim", 12, code=3)
        page = self.report()
        self.assertEqual(page.state(), "stalled")
        self.assertNotIn("lrgd resume", page.text())
        self.assertIn("f must be less noisy", page.text())
        gradients = re.search(r"squared length of (\d+) gradients",
                              page.text())
        self.assertGreaterEqual(int(gradients.group(1)), 3)
        # the steep sum is of sin(2 i) x_i: 0 for x1, 0.009 for x12
        share = {name: float(part) for name, part in re.findall(
            r'<tr><th scope="row">(x\d+)</th><td class="n">([^ ]*) %',
            page.between("influence-h", "</sec"))}
        self.assertEqual(len(share), 12)
        self.assertIn("x1", sorted(share, key=share.get)[:2])

    def test_the_predicted_steps_of_gradient_descent_are_those_it_takes(self):
        # steps 1/L on a quadratic: the largest part left after n steps is
        # (1 - mu/L)^n of what it was
        self.minimize("quadratic", "--set", "p=20", "--set", "rank=3", "--set",
                      "spectrum=1,3,10", "--set", "scale=0.5", "--method",
                      "lrgd", "--rank", 3, "--oracle", "gradient")
        told = re.search(r"takes ([\d,]+) steps from", self.report().text())
        steps = int(told.group(1).replace(",", ""))
        os.remove(self.path("run.db"))
        paid = self.minimize("quadratic", "--set", "p=20", "--set", "rank=3",
                             "--set", "spectrum=1,3,10", "--set", "scale=0.5",
                             "--method", "gd", "--alpha", 0.1, "--oracle",
                             "gradient")
        self.assertLess(abs(steps - paid["iterations"]), 8)

    def test_a_journal_of_another_program_is_shown_as_far_as_it_goes(self):
        subprocess.run([RUN_DRIVER, f"journal={self.path('run.db')}",
                        f"worker={SIM}"], check=True,
                       stdout=subprocess.DEVNULL)
        page = self.report()
        self.assertIn("own view of this run is not here", page.text())
        self.assertIn("The best point", page.text())

    def test_the_page_of_a_diagnosis_is_titled_as_one(self):
        self.run_json("diagnose", "wing-weight", "--journal", "run.db",
                      "--max-evals", 300, code=3)
        page = self.report()
        self.assertIn("this is the journal of lrgd diagnose", page.text())

    def test_many_evaluations_make_a_small_page_that_hides_no_extreme(self):
        # under sanitizers as many as are no longer drawn one by one
        most = 20000 if os.environ.get("RUN_SANITIZED") else 100000
        run = self.minimize("quadratic", "--set", "p=250", "--set", "rank=250",
                            "--set", "kappa=1e5", "--method", "gd",
                            "--max-evals", most, code=3)
        page = self.report()
        self.assertGreater(run["evaluations"], 0.99 * most)
        self.assertLess(len(page.source), 1e6)
        self.assertIn("are drawn: the lowest and the highest of each",
                      page.text())
        chart = page.charts["progress"]
        status = json.loads(self.run_lrgd("status", "run.db", "--json").stdout)
        best = chart["series"][1]["y"]
        self.assertAlmostEqual(best[-1] / status["f"], 1, places=9)
        self.assertEqual(best, sorted(best, reverse=True))


HOSTILE = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
           '"><svg onload=alert(1)>', "'; alert(1); '", "=cmd|' /C calc'!A0",
           "&lt;b&gt; &amp;", "‮gnp.exe‬", "a\u2028b", "\x1b[31mred",
           "{{7*7}}", "${7*7}", "<!-- ", "]]>", "\ufeff", "naïve ☃", "-->"]


class Hostile(Reported):
    def hostile_page(self):
        names = [f"n{i}" for i in range(len(HOSTILE))]
        self.write("names", "\n".join(names) + "\n")
        self.minimize("--worker", f"{SIM} fail=5 say='</pre><img src=x "
                      "onerror=alert(4)>'", "--dim", len(HOSTILE), "--names",
                      "names", "--max-evals", 150, "--method", "quasi-newton",
                      code=3)
        forge_setting(self.path("run.db"), "names",
                      "".join(name + "\n" for name in HOSTILE).encode())
        forge_setting(self.path("run.db"), "command",
                      b"</title><script>alert(2)</script> \" onload=\"x()\xff")
        return self.report()

    def test_markup_in_names_and_texts_is_escaped(self):
        page = self.hostile_page()  # whose every tag was looked at
        self.assertEqual(page.source.count("<script"), 1 + len(page.charts))
        text = page.text()
        for name in HOSTILE[:6]:
            self.assertIn(" ".join(name.split()), text)
        self.assertIn("naïve ☃", text)
        self.assertIn("</title><script>alert(2)</script>", text)
        self.assertIn("</pre><img src=x onerror=alert(4)>", text)

    def test_control_characters_are_shown_escaped(self):
        source = self.hostile_page().source
        for hidden in "\u202e\u202c\u2028\x1b\ufeff":
            self.assertNotIn(hidden, source)
        self.assertIn("\\u{202e}gnp.exe", source)
        self.assertIn("\\u{1b}[31mred", source)
        self.assertIn("x()\\xff", source)

    def test_no_name_is_written_as_a_spreadsheet_formula(self):
        names = self.hostile_page().csv()[0]
        self.assertIn("\"'=cmd|' /C calc'!A0\"", names)
        self.assertFalse([n for n in names if re.match(r'"?[=+@-]', n)])

    def test_bytes_that_are_not_utf8_are_shown_escaped(self):
        self.write("names", "a\nb\nc\nd\n")
        self.minimize("--worker", SIM, "--dim", 4, "--names", "names")
        forge_setting(self.path("run.db"), "names", b"\xff\xfe<b>\nok\n"
                      b"\xc0\xaf\xed\xa0\x80\n\xf4\x90\x80\x80\n")
        page = self.report()
        self.assertIn("\\xff\\xfe<b>", page.text())
        self.assertIn("\\xc0\\xaf\\xed\\xa0\\x80", page.text())

    def many_hostile_names(self):
        self.write("names", "".join(f"n{i}\n" for i in range(10000)))
        self.minimize("quadratic", "--set", "p=10000", "--set", "rank=3",
                      "--names", "names", "--method", "lrgd", "--rank", 3,
                      "--oracle", "gradient")
        names = [HOSTILE[i % len(HOSTILE)] + f" {i}" for i in range(10000)]
        forge_setting(self.path("run.db"), "names",
                      "".join(name + "\n" for name in names).encode())
        return self.report()

    def test_very_long_names_do_not_break_the_page(self):
        self.write("names", "a\nb\nc\nd\n")
        self.minimize("--worker", SIM, "--dim", 4, "--names", "names")
        forge_setting(self.path("run.db"), "names", (
            "<script>" * 3000 + "\n" + "x" * 100000 + "\n" + "\u202e" * 500
            + "\u0645\u0631\u062d\u0628\u0627\nd\n").encode())
        page = self.report()
        self.assertLess(len(page.source.encode()), 1e6)
        self.assertEqual(page.source.count("<script"), 1 + len(page.charts))

    def test_ten_thousand_names_do_not_break_the_page(self):
        page = self.many_hostile_names()
        self.assertLess(len(page.source.encode()), 5e6)
        self.assertEqual(len(page.csv()[0]), 10000)
        self.assertEqual(page.source.count("<script"), 1 + len(page.charts))
        self.assertNotIn("\u202e", page.source)

    def test_a_text_that_contains_a_zero_byte_is_refused_or_shown(self):
        self.write("names", "a\nb\nc\nd\n")
        self.minimize("--worker", SIM, "--dim", 4, "--names", "names")
        forge_setting(self.path("run.db"), "names", b"a\0<b>\nb\nc\nd\n")
        said = self.run_lrgd("report", "run.db", "-o", "run.html", code=7)
        self.assertIn("damaged", said.stderr)
        self.assertFalse(os.path.exists(self.path("run.html")))

    def test_settings_that_make_no_sense_are_reported(self):
        self.minimize("quadratic", "--set", "p=5")
        for key, text in (("method", b"<i>magic</i>"), ("oracle", b"delphi"),
                          ("tol", b"nan"), ("seed", b"9")):
            forge_setting(self.path("run.db"), key, text)
            page = self.report()
            self.assertIn("own view of this run is not here", page.text())


class Place(Reported):
    def test_a_file_that_is_no_report_is_not_overwritten(self):
        self.minimize("quadratic", "--set", "p=5")
        self.write("run.html", "precious")
        self.refused("report", "run.db", "-o", "run.html", says="--force")
        self.assertEqual(self.read("run.html"), "precious")
        self.report("--force")
        self.report()  # and a page of ours is

    def test_the_journal_itself_is_never_written_to(self):
        self.minimize("quadratic", "--set", "p=5")
        before = self.read("run.db", "rb")
        self.refused("report", "run.db", "-o", "run.db", "--force",
                     says="journal itself")
        self.report()
        self.assertEqual(self.read("run.db", "rb"), before)

    def test_the_page_lies_beside_the_journal_unless_named(self):
        self.minimize("quadratic", "--set", "p=5")
        out = self.run_lrgd("report", "run.db").stdout
        self.assertRegex(out, r"^run\.html: \d+ evaluations, \d+ kB\n$")
        self.assertEqual(Page(self.read("run.html")).wrong, [])

    def test_missing_journals_and_wrong_flags_are_refused(self):
        self.run_lrgd("report", "none.db", code=6)
        self.minimize("quadratic", "--set", "p=5")
        self.run_lrgd("report", "run.db", "-o", "no/such/run.html", code=6)
        self.refused("report", says="which journal")
        self.refused("report", "run.db", "-o", says="-o wants a value")
        self.write("bad.db", "no journal " * 100)
        self.run_lrgd("report", "bad.db", code=7)


class While(Reported):
    """Pages of a run that goes on."""

    def begin(self, evaluations):
        """A slow run, as soon as it has come so far."""
        process = self.start("minimize", "--worker", f"{SIM} delay=0.02",
                             "--dim", 10, "--journal", "run.db", "--quiet")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if os.path.exists(self.path("run.db")):
                run = subprocess.run([LRGD, "status", "run.db", "--json"],
                                     cwd=self.folder, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL)
                if run.returncode == 0 and (
                        json.loads(run.stdout)["evaluations"] >= evaluations):
                    return process
            time.sleep(0.01)
        self.fail("the run did not get going")

    def test_a_run_that_goes_on_and_one_that_was_killed(self):
        process = self.begin(12)
        page = self.report()
        self.assertEqual(page.state(), "running")
        self.assertIn("Best value so far", page.text())
        self.assertEqual(page.meta("refresh"), [])
        self.assertNotIn("on request", page.text())
        told = int(re.search(r"Recorded: (\d+) values", page.text()).group(1))
        # the run went on while the page was made
        self.assertIn(page.charts["spending"]["x"][-1] - told, range(4))
        process.send_signal(signal.SIGKILL)
        process.wait()
        page = self.report()
        self.assertEqual(page.state(), "interrupted")
        self.assertIn("It can go on: lrgd resume run.db --worker", page.text())

    def test_watching_writes_whole_pages_until_the_end(self):
        run = self.begin(5)
        watch = self.start("report", "run.db", "-o", "run.html", "--watch")
        seen, states = set(), set()
        while watch.poll() is None:
            if os.path.exists(self.path("run.html")):
                source = self.read("run.html")
                self.assertTrue(source.endswith("</html>\n"), "a part")
                page = Page(source)
                if source not in seen and page.state() == "running":
                    self.assertEqual(page.meta("refresh"), ["5"])
                seen.add(source)
                states.add(page.state())
            time.sleep(0.005)
        self.assertEqual(watch.returncode, 0)
        self.assertEqual(run.wait(), 0)
        self.assertGreater(len(seen), 1)
        self.assertIn("running", states)
        page = Page(self.read("run.html"))
        self.assertEqual((page.state(), page.meta("refresh")),
                         ("converged", []))
        self.assertEqual([name for name in os.listdir(self.folder)
                          if name.endswith(".part")], [])


if __name__ == "__main__":
    main()
