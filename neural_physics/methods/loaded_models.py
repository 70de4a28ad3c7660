"""Models that are ready to run: each is loaded once, and in memory once, for all objects that play it."""

from __future__ import annotations

from hashlib import blake2b
from weakref import WeakValueDictionary

from ..models.model_file import Model, parse_model
from .interface import Method, StepsMany
from .registry import SPECIFICATIONS, load_method


class LoadedModel:
    """A model and what runs it. Raises what `load_method` does."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._method = load_method(model)
        # What has no settings of an object holds nothing of one.
        self._for_all = not SPECIFICATIONS[model.info.method].live_settings
        self._taken = False

    def method(self) -> Method:
        """For one more object, whose settings are its own."""
        if isinstance(self._method, StepsMany):
            other: Method = self._method.another()
            return other
        first, self._taken = not self._taken, True
        return self._method if first or self._for_all else load_method(self.model)


class LoadedModels:
    """Those that somebody plays, by what their files hold."""

    def __init__(self) -> None:
        self._loaded: WeakValueDictionary[bytes, LoadedModel] = WeakValueDictionary()

    def of(self, data: bytes, path: str) -> LoadedModel:
        """The model of a file with these bytes, loaded unless it is there; path: what sentences call it.

        Raises what `parse_model` and `load_method` do.
        """
        content = blake2b(data).digest()
        found = self._loaded.get(content)
        if found is None:
            found = self._loaded[content] = LoadedModel(parse_model(data, path))
        return found
