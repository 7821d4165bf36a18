#!/usr/bin/env python3
"""Plants changes in series and records what ruptures finds in them: record_ruptures.py FOLDER

Writes planted_series.csv (series,day,value) and planted_changes.csv (series,first,by), where `by` is "planted", "l2" or
"rbf": the change was planted, or Pelt found it with that cost. Needs numpy and ruptures (pip install ruptures numpy).
Pelt gets the logarithms in units of the noise, which the median of absolute successive differences gives; the penalty is
3 log n for l2 and rbf alike.
"""
import csv
import pathlib
import sys

import numpy
import ruptures

# Name: days, noise, changes as (first day, percent), outliers, autocorrelation.
CASES = {
    "none": (200, 0.01, [], 0, 0),
    "none_outliers": (200, 0.01, [], 0.05, 0),
    "none_correlated": (200, 0.01, [], 0, 0.3),
    "one_step": (120, 0.01, [(60, 5)], 0, 0),
    "one_step_outliers": (160, 0.01, [(90, 5)], 0.05, 0),
    "faster": (120, 0.02, [(50, -8)], 0, 0),
    "up_and_back": (180, 0.01, [(60, 5), (120, -5)], 0, 0),
    "stairs": (300, 0.01, [(80, 6), (160, -10), (230, 8)], 0, 0),
    "noisy": (200, 0.03, [(100, 10)], 0.05, 0),
    "quiet": (90, 0.003, [(30, 2), (60, 3)], 0, 0),
    "correlated": (200, 0.01, [(100, 5)], 0, 0.3),
    "several_outliers": (250, 0.015, [(70, 7), (170, 6)], 0.05, 0.2),
}


def series(random, days, noise, changes, outliers, correlation):
    state, values = random.normal(), []
    for day in range(days):
        state = correlation * state + (1 - correlation**2) ** 0.5 * random.normal()
        level = sum(numpy.log1p(percent / 100) for first, percent in changes if day >= first)
        slow = numpy.log(random.uniform(1.1, 1.5)) if random.uniform() < outliers else 0
        values.append(round(100 * float(numpy.exp(level + noise * state + slow)), 4))
    return values


def found_by(values, model):
    logs = numpy.log(values)
    noise = numpy.median(numpy.abs(numpy.diff(logs))) / 0.953873
    signal = ((logs - numpy.median(logs)) / noise).reshape(-1, 1)
    penalty = 3 * numpy.log(len(values))
    return ruptures.Pelt(model=model, min_size=5, jump=1).fit(signal).predict(pen=penalty)[:-1]


def main(folder):
    random = numpy.random.default_rng(1)
    with open(folder / "planted_series.csv", "w", newline="") as points, open(
        folder / "planted_changes.csv", "w", newline=""
    ) as changes:
        write_point = csv.writer(points, lineterminator="\n").writerow
        write_change = csv.writer(changes, lineterminator="\n").writerow
        write_point(["series", "day", "value"])
        write_change(["series", "first", "by"])
        for name, (days, noise, planted, outliers, correlation) in CASES.items():
            values = series(random, days, noise, planted, outliers, correlation)
            for day, value in enumerate(values):
                write_point([name, day, value])
            for first, _ in planted:
                write_change([name, first, "planted"])
            for model in ("l2", "rbf"):
                for first in found_by(values, model):
                    write_change([name, first, model])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
