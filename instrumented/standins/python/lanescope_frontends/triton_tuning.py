# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.runtime.autotuner: of the configurations the first is taken that fits the device. Measuring them would run,
and record, every one of them, and find which is the fastest to simulate."""


def change(autotuner):
    prune, bench = autotuner.Autotuner.prune_configs, autotuner.Autotuner._bench
    does_not_fit = (autotuner.OutOfResources, getattr(autotuner, "PTXASError", autotuner.OutOfResources))

    def prune_and_start(self, *arguments, **named):
        self._lanescope_found = False
        return prune(self, *arguments, **named)

    def take_the_first(self, *arguments, config, **named):
        infinite = [float("inf")] * 3
        if self._lanescope_found:
            return infinite
        if named.keys() & config.kwargs.keys():
            return bench(self, *arguments, config=config, **named)  # It says what is wrong.
        try:
            kernel = self.fn.run(*arguments, **{**named, **config.all_kwargs(), "warmup": True})
            kernel._init_handles()
        except does_not_fit:
            return infinite
        self._lanescope_found = True
        return [0.0] * 3

    autotuner.Autotuner.prune_configs = prune_and_start
    autotuner.Autotuner._bench = take_the_first
