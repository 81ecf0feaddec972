"""The command `keras-transformer`: one thin module per sub-command, each one call of the Python API."""
