"""What a kept run tells: lrgd status and events."""
import json
import sqlite3

from harness import main, worker
from kept import Kept


class Status(Kept):
    def test_status_reports_during_a_run_after_a_kill_and_at_the_end(self):
        process = self.start(self.command("--max-evals", 500, delay=0.01))
        self.wait_for(10, process)
        during = self.status()
        self.assertTrue(during["running"])
        self.assertEqual(during["state"], "running")
        self.assertIn(str(process.pid), during["holder"])
        self.assertGreaterEqual(during["evaluations"], 5)
        self.assertEqual(len(during["x"]), self.dim)
        text = self.run_lrgd("status", "run.db").stdout
        self.assertIn("running", text)
        self.assertIn("of 500", text)
        process.kill()
        process.communicate()
        after = self.status()
        self.assertFalse(after["running"])
        self.assertEqual(after["state"], "interrupted")
        self.assertGreaterEqual(after["evaluations"], during["evaluations"])
        result = self.run_json(*self.command())
        end = self.status()
        self.assertEqual(end["state"], "converged")
        self.assertEqual(end["evaluations"], result["evaluations"])
        self.assertLessEqual(end["f"], result["f"])
        self.assertEqual((end["sessions"], end["sittings"]), (2, 2))
        self.assertGreater(end["rate"], 0)

    def test_phase_and_rank_are_reported_while_it_runs_and_after_a_kill(self):
        process = self.start(self.command(delay=0.01))
        self.wait_for(2, process)
        self.assertEqual(self.status()["phase"], "nothing decided yet")
        self.wait_for(36, process)  # three gradients and what it then decides
        during = self.status()
        self.assertEqual(during["rank"], 2, during)
        process.kill()
        process.communicate()
        after = self.status()
        self.assertTrue(after["phase"])
        self.assertIn(after["phase"], self.run_lrgd("status", "run.db").stdout)
        result = self.run_json(*self.command())
        end = self.status()
        self.assertEqual(end["rank"], result["rank"])
        self.assertEqual(end["iterations"], result["iterations"])
        self.assertEqual(end["phase"], result["phases"][-1]["text"])
        self.assertEqual(end["decision"], result["end"])
        self.assertEqual(end["decisions"], len(result["phases"]))

    def decisions(self):
        database = sqlite3.connect(self.path("run.db"))
        rows = database.execute("SELECT kind, evaluations, value FROM "
                                "decisions WHERE id > 0 ORDER BY id").fetchall()
        database.close()
        return rows

    def test_decisions_are_kept_as_data_and_those_of_a_session_replace_others(
            self):
        for most in (20, 60, 2000):
            result = self.run_json(*self.command("--max-evals", most),
                                   code=None)
            self.assertEqual(self.decisions(), [
                (one["kind"], one["evaluations"], one.get("value", 0.0))
                for one in result["phases"]])

    def test_status_does_not_change_the_journal(self):
        self.run_json(*self.command())
        before = self.digest()
        self.status()
        self.run_lrgd("status", "run.db")
        self.assertEqual(self.digest(), before)
        self.refused("status", says="which journal")


class Events(Kept):
    def events(self):
        return [json.loads(line) for line in self.read("ev").splitlines()]

    def test_every_line_is_an_object_that_describes_an_event(self):
        result = self.run_json(*self.command("--events", "ev"))
        kinds = {}
        for event in self.events():
            kinds.setdefault(event["event"], []).append(event)
        self.assertEqual(set(kinds), {"iteration", "phase", "evaluation"})
        self.assertEqual(len(kinds["evaluation"]), result["evaluations"])
        self.assertEqual([e["evaluation"] for e in kinds["evaluation"]],
                         list(range(1, result["evaluations"] + 1)))
        self.assertEqual(kinds["phase"][-1]["outcome"], "converged")
        self.assertEqual(kinds["iteration"][-1]["best"], result["f"])

    def test_failures_say_why(self):
        self.run_json("minimize", "--worker",
                      worker("bowl.py", "value", "-", 0, 4), "--dim", 4,
                      "--rank", 1, "--retries", 1, "--events", "ev")
        failures = [e for e in self.events() if e["event"] == "failure"]
        self.assertGreater(len(failures), 0)
        self.assertIn("oops", failures[0]["why"])

    def test_the_journal_has_the_cause_and_the_number_apart(self):
        self.run_json("minimize", "--worker",
                      worker("bowl.py", "value", "-", 0, 4), "--dim", 4,
                      "--rank", 1, "--retries", 1, "--journal", "why.db")
        base = sqlite3.connect(self.path("why.db"))
        causes = [row[0] for row in base.execute(
            "SELECT why FROM evaluations WHERE why IS NOT NULL")]
        base.close()
        self.assertGreater(len(causes), 0)
        for cause in causes:
            self.assertNotRegex(cause, "^evaluation [0-9]")

    def test_all_sessions_append_to_the_same_event_file(self):
        self.run_json(*self.command("--max-evals", 20, "--events", "ev"),
                      code=3)
        result = self.run_json(*self.command("--max-evals", "none",
                                             "--events", "ev", verb="resume"))
        numbers = [e["evaluation"] for e in self.events()
                   if e["event"] == "evaluation"]
        self.assertEqual(numbers, list(range(1, result["evaluations"] + 1)))

    def test_built_in_problems_write_events_too(self):
        result = self.run_json("minimize", "quadratic", "--dim", 20,
                               "--events", "ev", "--rank", 2)
        told = [e for e in self.events() if e["event"] == "evaluation"]
        self.assertEqual(len(told), result["evaluations"])

    def test_an_event_file_that_cannot_be_written_gives_exit_status_6(self):
        self.run_lrgd(*self.command("--events", "nowhere/ev"), code=6)
        self.assertEqual(self.asked(), 0)
        self.run_lrgd(*self.command("--events", "/dev/full"), code=6)


if __name__ == "__main__":
    main()
