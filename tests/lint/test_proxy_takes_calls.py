"""GPU989: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: work, namespace: ml}}
spec:
  containers:
    - name: main
      image: registry.example.com/work:1
      args: [--track, "{url}"]
      {more}
      env:
        - {{name: {proxy}, value: "{through}"}}
        {exceptions}
---
apiVersion: v1
kind: Service
metadata: {{name: mlflow, namespace: ml}}
spec: {{selector: {{app: mlflow}}, ports: [{{port: 5000}}]}}
"""
SHORT = "http://mlflow:5000"
LONG = "http://mlflow.ml.svc.cluster.local:5000"


def said(
    url: str,
    exceptions: str | None = None,
    proxy: str = "HTTP_PROXY",
    through: str = "http://proxy.example.com:3128",
    more: str = "",
) -> list[str]:
    entry = "" if exceptions is None else f"- {{name: NO_PROXY, value: '{exceptions}'}}"
    text = POD.format(url=url, exceptions=entry, proxy=proxy, through=through, more=more)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU989"]


@pytest.mark.parametrize(
    ("url", "exceptions", "words"),
    [
        (SHORT, None, "`NO_PROXY` is not set"),
        (LONG, None, "`NO_PROXY` is not set"),
        (SHORT, "localhost,.svc,.cluster.local", "`NO_PROXY` has no entry for it"),
        (LONG, "localhost,10.0.0.0/8", "`NO_PROXY` has no entry for it"),
        (LONG, "*.svc,*.cluster.local", "do not know `*`"),
    ],
)
def test_what_the_proxy_gets(url: str, exceptions: str | None, words: str) -> None:
    (message,) = said(url, exceptions)
    assert words in message


def test_what_it_does_not_get() -> None:
    assert said(LONG, ".svc,.cluster.local") == []
    assert said(SHORT, "mlflow,.svc") == []
    assert said(SHORT, "*") == []
    assert said("http://models.example.com") == []
    assert said(SHORT, proxy="HTTPS_PROXY") == []
    assert said(SHORT, through="http://squid.net.svc:3128") == []
    assert said(SHORT, "$(HOSTS)") == []
    assert said(SHORT, more="envFrom: [{configMapRef: {name: proxies}}]") == []
