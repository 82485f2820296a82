"""Model providers: two wire protocols and the built-in rehearsal."""

from longwatch.adapters.models.provider import (
    Limits,
    Prices,
    ProviderConfig,
    ProviderProblem,
    Secret,
    Surroundings,
)
from longwatch.adapters.models.registry import (
    Models,
    default_selection,
    split_selection,
    usual_providers,
)

__all__ = [
    "Limits",
    "Models",
    "Prices",
    "ProviderConfig",
    "ProviderProblem",
    "Secret",
    "Surroundings",
    "default_selection",
    "split_selection",
    "usual_providers",
]
