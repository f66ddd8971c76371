"""The configuration of a transformer made by temper: config.json as an object.

It is a Hugging Face configuration where transformers is installed, and a plain object with the same fields elsewhere."""
import json
import os

try:
    from transformers import PretrainedConfig
except ImportError:
    PretrainedConfig = None

FORMAT = 1  # of the folder; config.json has it as temper_format


class _PlainConfig:
    """What a configuration needs when transformers is not there."""

    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


class TemperConfig(PretrainedConfig or _PlainConfig):
    """Field names are those of TransformerLens (n_layers, d_model, ...); `temper` has what only temper knows."""

    model_type = "temper"
    attribute_map = {"hidden_size": "d_model", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
                     "vocab_size": "d_vocab"}

    def __init__(self, **fields):
        fields.setdefault("n_layers", 0)
        fields.setdefault("d_model", 0)
        fields.setdefault("n_heads", 0)
        fields.setdefault("d_vocab", 2)
        fields.setdefault("temper", {"alphabet": [], "channels": [], "layers": [], "at": "last"})
        fields.setdefault("proved_length", {})
        check_format(fields)
        super().__init__(**fields)


def check_format(fields):
    """Refuses files of another version of temper's export."""
    found = fields.get("temper_format", FORMAT)
    if found != FORMAT:
        raise ValueError(f"config.json: the folder was written by another version of temper (format {found}, by temper "
                         f"{fields.get('temper_version', '?')}); these Python files read format {FORMAT}. "
                         "Export the model again, or use the Python files of its own folder")


def load_config(folder):
    """The configuration of an exported folder."""
    path = os.path.join(folder, "config.json")
    try:
        with open(path, encoding="utf-8") as file:
            fields = json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is missing: not a folder that temper export has written, or only part of "
                                "one") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(fields, dict) or fields.get("model_type") != "temper" or "temper_format" not in fields:
        raise ValueError(f"{path} was not written by temper export")
    return TemperConfig(**fields)
