"""Any order of steps, edits, pauses, messages and crashes keeps the invariants, at every prefix."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace
from simulator.personas import PERSONAS, Persona
from simulator.simulation import Simulation
from stage import SHELL

from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules, Stay, next_step
from longwatch.session import decode, encode, fold
from longwatch.session.intents import Pause, Resume, Say

counts = st.integers(0, 4)


class Session(RuleBasedStateMachine):
    """One session whose every next move is drawn."""

    simulation: Simulation

    @initialize(
        dialect=st.sampled_from(list(DIALECTS)),
        persona=st.sampled_from(PERSONAS),
        rng=st.randoms(use_true_random=False),
        auto_continue=st.booleans(),
        wakes=counts,
        injected=st.none() | counts,
        guard=st.tuples(counts, st.sampled_from(["proceed", "explain"])),
        idle=counts,
    )
    def begin(
        self,
        dialect: str,
        persona: Persona,
        rng: object,
        auto_continue: bool,
        wakes: int,
        injected: int | None,
        guard: tuple[int, str],
        idle: int,
    ) -> None:
        speech = DIALECTS[dialect]
        loop = replace(
            speech.defaults,
            auto_continue=auto_continue,
            max_auto_continues=wakes,
            max_injected_turns=injected,
            finalization_corrections=guard[0],
            on_guard_exhausted=guard[1],
            max_idle_continues=idle,
        )
        rules = Rules(speech, loop, (SHELL,))
        self.simulation = Simulation(rng, rules, persona, crashes=0.03, meddling=0.1)  # type: ignore[arg-type]
        self.simulation.begin()

    @rule(times=st.integers(1, 6))
    def go_on(self, times: int) -> None:
        for _ in range(times):
            if next_step(self.simulation.state, self.simulation.rules) != Stay():
                self.simulation.go_on()

    @rule()
    def meddle(self) -> None:
        self.simulation.ask(self.simulation.whim())

    @rule()
    def pause(self) -> None:
        self.simulation.ask(Pause())

    @rule()
    def resume(self) -> None:
        self.simulation.ask(Resume())
        self.simulation.go_on()

    @rule()
    def say(self) -> None:
        self.simulation.ask(Say(text="and now"))
        self.simulation.go_on()

    @rule()
    def crash(self) -> None:
        self.simulation.restart()

    @invariant()
    def events_fold_to_the_state_that_was_built(self) -> None:
        if hasattr(self, "simulation"):
            stored = [decode(encode(event)) for event in self.simulation.events]
            assert fold(stored) == self.simulation.state


Session.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, derandomize=True
)
TestSession = Session.TestCase
