"""The contract: states, rules, actions, randomness, parameters, compilation."""
