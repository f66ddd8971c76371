"""The outputs of models: a dictionary that leaves out None, with fields as attributes."""
from collections import OrderedDict
from dataclasses import fields


class ModelOutput(OrderedDict):
    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def to_tuple(self):
        return tuple(self.values())
