# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.testing: how long a simulator takes says nothing of a GPU, so that what is measured runs once."""
import time


def _run_once(function, *_, quantiles=None, return_mode="mean", **__):
    begin = time.perf_counter()
    function()
    milliseconds = (time.perf_counter() - begin) * 1e3
    return [milliseconds] * len(quantiles) if quantiles or return_mode == "all" else milliseconds


def change(testing):
    testing.do_bench = _run_once
    testing.do_bench_cudagraph = _run_once
