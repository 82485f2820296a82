"""From a step to the request that it calls for."""

from collections.abc import Sequence

from longwatch.discipline import CallModel
from longwatch.engine.compaction import clipped
from longwatch.engine.conduct import Conduct
from longwatch.engine.ports import ModelRequest
from longwatch.session import Message


def request_for(step: CallModel, conduct: Conduct, messages: Sequence[Message]) -> ModelRequest:
    """The request with these messages, as the step and what governs the session want it."""
    sampling, rules = conduct.sampling, conduct.rules
    limit = sampling.max_output_tokens
    if step.raise_output_limit and limit is not None:
        limit *= 2
    return ModelRequest(
        model=conduct.model_name,
        system=rules.system_prompt,
        tools=rules.offered,
        messages=clipped(messages) if step.clip_outputs else messages,
        tool_choice=step.tool_choice,
        stream=sampling.stream,
        temperature=sampling.temperature,
        top_p=sampling.top_p,
        max_output_tokens=limit,
        reasoning_effort=sampling.reasoning_effort,
    )
