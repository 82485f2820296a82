"""Which names look as if a secret were behind them."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

FILES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    ".vault-token",
    ".boto",
    ".s3cfg",
    ".dockercfg",
    ".terraformrc",
    "*.tfstate",
    "*.tfvars",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc",
    "*.gpg",
    "*_credentials",
    "*-credentials.json",
    "client_secret*.json",
    "service-account*.json",
    "*.secret",
    "*.secrets",
    ".token",
    "*_token",
    "*-token",
    "shadow",
    "gshadow",
    "kubeconfig",
)
FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"))
CONFIG_FOLDERS = frozenset(((".config", "gcloud"), (".config", "gh"), (".config", "op")))

# Bare words that a source file may well have as its name, so that only data files count.
WORDS = frozenset(("credential", "credentials", "secret", "secrets", "token", "tokens", "password"))
DATA = frozenset(
    ("", "json", "yaml", "yml", "toml", "ini", "txt", "xml", "properties", "cfg", "conf", "csv")
)

# Templates are there to be read.
HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")


def looks_secret(parts: Sequence[str]) -> bool:
    """Whether a path, given by its parts, is likely to hold keys or passwords."""
    if not parts:
        return False
    folded = [part.casefold() for part in parts]
    if not FOLDERS.isdisjoint(folded) or not CONFIG_FOLDERS.isdisjoint(pairwise(folded)):
        return True
    name = folded[-1]
    if any(fnmatchcase(name, pattern) for pattern in HARMLESS):
        return False
    stem, _, suffix = name.partition(".")
    if stem in WORDS and suffix in DATA:
        return True
    return any(fnmatchcase(name, pattern) for pattern in FILES)
