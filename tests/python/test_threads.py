"""Solves in several threads at once, and what ends them."""
import os
import signal
import threading
import time

import numpy as np

import lrgd
from common import Boom, Counter, P, Case, bowl, main, throw, valley
from lrgd import _door

START = np.zeros(P)


class Threads(Case):
    def test_two_solves_at_once_are_right(self):
        wanted = {name: lrgd.minimize(f, x0) for name, f, x0 in (
            ("bowl", bowl, START), ("valley", valley, -np.ones(P)))}
        found = {}

        def work(name, f, x0):
            found[name] = [lrgd.minimize(f, x0) for _ in range(5)]
        threads = [threading.Thread(target=work, args=given) for given in (
            ("bowl", bowl, START), ("valley", valley, -np.ones(P)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, results in found.items():
            self.assertEqual(len(results), 5)
            for result in results:
                self.assertEqual(result.nfev, wanted[name].nfev)
                self.assertTrue(np.array_equal(result.x, wanted[name].x))

    def test_a_failure_in_one_thread_stays_there(self):
        raised = []

        def work():
            try:
                lrgd.minimize(Counter(bowl, 9, throw), START)
            except Boom as error:
                raised.append(error)
        thread = threading.Thread(target=work)
        thread.start()
        result = lrgd.minimize(bowl, START)
        thread.join()
        self.assertEqual((len(raised), result.outcome), (1, "converged"))

    def test_one_raises_one_is_interrupted_and_the_others_go_on(self):
        """Ctrl-C is the main thread's, and no other's; at the time of each
        event all four are between their first evaluation and their last."""
        wanted = lrgd.minimize(bowl, START)
        all_there, both_done = threading.Barrier(4), threading.Barrier(4)
        found = {}

        def meeting(f, n, act=lambda: None):
            """At its n-th call waits for the others, acts, waits again."""
            def meet():
                all_there.wait(60)
                try:
                    act()
                finally:
                    both_done.wait(60)
            return Counter(f, n, meet)

        def work(name, f):
            try:
                found[name] = lrgd.minimize(f, START)
            except Boom as error:
                found[name] = error
        threads = [threading.Thread(target=work, args=given) for given in (
            ("calm", meeting(bowl, 7)), ("also", meeting(bowl, 40)),
            ("raises", meeting(bowl, 9, throw)))]
        for thread in threads:
            thread.start()
        f = meeting(valley, 50, lambda: os.kill(os.getpid(), signal.SIGINT))
        stopped = lrgd.minimize(f, -np.ones(P))
        for thread in threads:
            thread.join()
        self.assertEqual((stopped.outcome, stopped.nfev, f.calls),
                         ("stopped", 50, 50))
        self.assertIs(type(found["raises"]), Boom)
        self.assertEqual(found["raises"].lrgd_result.nfev, 9)
        for name in ("calm", "also"):
            self.assertEqual(found[name].counts, wanted.counts)
            self.assertTrue(np.array_equal(found[name].x, wanted.x))
        self.assertEqual(len(_door._doors), 0)

    def test_other_threads_run_while_a_function_waits(self):
        ticks = []

        def slow(x):
            time.sleep(0.01)
            return bowl(x)
        thread = threading.Thread(
            target=lrgd.minimize, args=(slow, START),
            kwargs=dict(max_evals=20))
        thread.start()
        while thread.is_alive():
            ticks.append(1)
            time.sleep(0.001)
        self.assertGreater(len(ticks), 20)


if __name__ == "__main__":
    main()
