"""The contract between games and the engine: states, rules, actions, parameters, compilation."""

from kibitz.core import errors as errors
