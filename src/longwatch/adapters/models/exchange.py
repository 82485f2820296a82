"""A model behind HTTP: one request, one reply, one attempt."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.adapters.models import faults
from longwatch.adapters.models.provider import Prices, ProviderConfig, Secret
from longwatch.adapters.models.reading import Reading
from longwatch.adapters.models.speech import encoded, sendable
from longwatch.adapters.models.wire import Answer, Wire
from longwatch.engine.ports import ModelFault, ModelReply, ModelRequest, ReasoningDelta, TextDelta


class _Named(msgspec.Struct):
    id: str = ""


class _Names(msgspec.Struct):
    data: list[_Named] | None
    """Some servers that have no models say null."""


class HttpModel(ABC):
    """What both protocols share. A model is bound to one name of one provider."""

    def __init__(self, model: str, config: ProviderConfig, wire: Wire) -> None:
        self._model = model
        self._config = config
        self._wire = wire

    @property
    def provider(self) -> str:
        return self._wire.name

    @property
    def context(self) -> int | None:
        return self._config.context_of(self._model)

    async def aclose(self) -> None:
        await self._wire.aclose()

    def preview(self, request: ModelRequest) -> Mapping[str, Any]:
        """The JSON body that would be sent."""
        body: Mapping[str, Any] = sendable(self._body(request))
        return body

    async def stream(
        self, request: ModelRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | ModelReply, None]:
        """Deltas as they come and the whole reply last. Close it, if it is not read to its end."""
        answer, reading = await self._ask(request)
        try:
            reading.begin(answer.headers.get("content-type", ""))
            try:
                while (chunk := await answer.next_chunk()) is not None:
                    if reading.feed(chunk):
                        answer.progressed()
                    for delta in reading.speech.fresh():
                        yield delta
                    if reading.done:
                        await answer.drain()
                        break
                    if reading.whole:
                        answer.hurry(self._wire.limits.after_the_end)
            except ModelFault:
                # A connection that fails after the terminal event has delivered its reply.
                if not reading.whole:
                    raise
            reply = reading.reply()
            for delta in reading.speech.fresh():
                yield delta
        except ModelFault as fault:
            if reading.produced():
                fault.usage = reading.usage(self._prices(request))
            raise
        finally:
            await answer.aclose()
        yield replace(reply, usage=reading.usage(self._prices(request)))

    async def _ask(self, request: ModelRequest) -> tuple[Answer, Reading[Any]]:
        """The answer to the request. A complaint that says how to ask is heeded, once."""
        try:
            return await self._send(request)
        except faults.Complained as complained:
            if complained.kind == "unknown_model":
                raise await self._with_names(complained, request) from None
            if complained.kind != "bad_request" or not self._heed(complained.complaint, request):
                raise
        return await self._send(request)

    async def _send(self, request: ModelRequest) -> tuple[Answer, Reading[Any]]:
        body = encoded(self._body(request))
        limits = self._wire.limits
        first_byte = limits.first_byte
        if request.reasoning_effort not in (None, "none"):
            first_byte = limits.first_byte_reasoning
        if not request.stream:
            # The one response comes when all of it is there.
            first_byte = max(first_byte, limits.between_events)
        answer = await self._wire.post(self._path, body, self._headers(request), first_byte)
        return answer, self._reading(request, len(body))

    async def _with_names(
        self, fault: faults.Complained, request: ModelRequest
    ) -> faults.Complained:
        """The same fault with the names that the provider knows and that are most like this one."""
        try:
            names = await self.names(request)
        except ModelFault:
            return fault
        hint = faults.nearest(self.wire_model(request), names)
        return faults.Complained(
            fault.kind,
            fault.message + faults.printable(hint),
            complaint=fault.complaint,
            status=fault.status,
        )

    async def names(self, request: ModelRequest) -> list[str]:
        """The models that the provider lists, in its own order. Raises ModelFault."""
        listed = await self._wire.model_names(self._names_path, self._headers(request))
        try:
            return [one.id for one in msgspec.json.decode(listed, type=_Names).data or ()]
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            words = "it answers, but not with a list of models."
            raise self._wire.fault("malformed", words) from None

    def wire_model(self, request: ModelRequest) -> str:
        """The name as the server knows it; a request may also name the provider before it."""
        full = f"{self.provider}:{self._model}"
        return self._model if request.model == full else request.model

    def _prices(self, request: ModelRequest) -> Prices | None:
        return self._config.prices_of(self.wire_model(request))

    # What a protocol defines.

    @property
    @abstractmethod
    def _path(self) -> str: ...

    @property
    @abstractmethod
    def _names_path(self) -> str: ...

    @abstractmethod
    def _headers(self, request: ModelRequest) -> Mapping[str, str | Secret]: ...

    @abstractmethod
    def _body(self, request: ModelRequest) -> dict[str, Any]: ...

    @abstractmethod
    def _reading(self, request: ModelRequest, sent: int) -> Reading[Any]: ...

    @abstractmethod
    def _heed(self, complaint: faults.Complaint, request: ModelRequest) -> bool:
        """Change how requests are made as a complaint demands; False if it demands nothing."""
