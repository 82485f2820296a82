"""Names behind which secrets are likely."""

import pytest

from longwatch.adapters.tools.secret_names import looks_secret


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".env.local",
        "deploy/production.env",
        ".envrc",
        ".netrc",
        "id_rsa",
        "keys/id_ed25519",
        "server.pem",
        "tls/server.KEY",
        ".ssh/config",
        ".aws/config",
        ".AWS/Credentials",
        ".config/gcloud/x.db",
        ".config/gh/hosts.yml",
        "credentials",
        "credentials.json",
        "secrets.yaml",
        "token",
        "app.p12",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        "terraform.tfstate",
        "github_token",
        ".kube/config",
        ".docker/config.json",
    ],
)
def test_secret(path: str) -> None:
    assert looks_secret(path.split("/"))


@pytest.mark.parametrize(
    "path",
    [
        "readme.md",
        "src/environment.py",
        ".env.example",
        "id_rsa.pub",
        "src/secrets.py",
        "src/credentials/provider.ts",
        "tokenizer.json",
        "keys.py",
        "config/settings.yaml",
        "monkey",
        "gcloud/deploy.sh",
    ],
)
def test_harmless(path: str) -> None:
    assert not looks_secret(path.split("/"))


def test_the_folder_itself() -> None:
    assert not looks_secret(())
