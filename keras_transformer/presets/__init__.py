"""Hyper-parameters as YAML files."""
