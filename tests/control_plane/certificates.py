"""Certificates and keys of one control plane, made on the spot with `openssl`.

RSA in its traditional form, since Kueue's certificate keeper reads no other; valid for years, since
it renews what ends within three months; its authority's name likewise. KEDA's adapter shows it to KEDA.
"""

import subprocess
from pathlib import Path
from typing import NamedTuple

AUTHORITY = "kueue-ca"
NAMES = "DNS:localhost,IP:127.0.0.1,DNS:kueue-webhook-service.kueue-system.svc"
DAYS = "3650"


class Certificates(NamedTuple):
    """Files in PEM: an authority, a server's certificate for loopback, service accounts' key."""

    authority: Path
    authority_key: Path
    server: Path
    server_key: Path
    accounts_key: Path


def make(folder: Path) -> Certificates:
    """Make them in a folder. Raises `subprocess.CalledProcessError` with what openssl said."""
    made = Certificates(
        authority=folder / "ca.crt",
        authority_key=folder / "ca.key",
        server=folder / "tls.crt",
        server_key=folder / "tls.key",
        accounts_key=folder / "accounts.key",
    )
    for key in (made.authority_key, made.server_key, made.accounts_key):
        _openssl("genrsa", "-traditional", "-out", key, "2048")
    _openssl(
        *("req", "-x509", "-new", "-key", made.authority_key, "-out", made.authority),
        *("-days", DAYS, "-subj", f"/CN={AUTHORITY}", "-addext", f"subjectAltName=DNS:{AUTHORITY}"),
    )
    _openssl(
        *("req", "-x509", "-new", "-key", made.server_key, "-out", made.server, "-days", DAYS),
        *("-CA", made.authority, "-CAkey", made.authority_key, "-subj", "/CN=localhost"),
        *("-addext", f"subjectAltName={NAMES}", "-addext", "basicConstraints=critical,CA:FALSE"),
        *("-addext", "extendedKeyUsage=serverAuth,clientAuth"),
    )
    return made


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)
