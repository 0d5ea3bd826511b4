"""What the maker of the tables of values makes of a chart's templates."""

from schemas.make_charts import mappings, needs, table

TEMPLATES = b"""
{{- define "labels" -}}{{ toYaml .context.Values.labels }}{{ .own.tier }}{{- end }}
{{- $merged := merge (dict "port" 80) .Values.service }}
port: {{ $merged.port }}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | quote }}
{{- include "labels" (dict "context" $ "own" .Values.service) }}
{{- range $index, $model := .Values.models }}
name: {{ $model.name }}
{{- if hasKey $model "parallel" }}
size: {{ $model.memory | default "1Gi" }}
{{- end }}
{{- end }}
{{- range list "prefill" "decode" }}
{{- with index $.Values . }}{{ .replicas }}{{ end }}
{{- end }}
hash: {{ toYaml .Values.image | sha256sum }}
"""
VALUES = b"image: {repository: a, tag: b, pullPolicy: c}\nlabels: {}\nmodels: []\n"


def test_the_templates_of_a_chart_tell_which_keys_they_read() -> None:
    root = table({"templates/all.yaml": TEMPLATES, "values.yaml": VALUES})
    closed = {place: mapping.keys for place, mapping in mappings(root).items()}
    assert closed == {
        "": {
            *(
                "image",
                "labels",
                "models",
                "service",
                "prefill",
                "decode",
                "enabled",
                "global",
                "tags",
            )
        },
        "image": {"repository", "tag", "pullPolicy"},
        "service": {"port", "tier"},
        "models.*": {"name", "parallel", "memory"},
        "prefill": {"replicas"},
        "decode": {"replicas"},
    }
    assert needs(root) == {
        "models.*.memory": {"models.*.parallel"},
    }
    assert mappings(root)["image"].texts == {"repository"}


def test_what_cannot_be_followed_is_open() -> None:
    templates = b'{{ include (printf "%s" .Values.a.b) .Values.c }}{{ unheardOf .Values.d.e }}{{ .Values.c.x }}'
    assert set(mappings(table({"templates/all.yaml": templates}))) == {"", "a", "d"}


def test_a_schema_closes_what_it_says() -> None:
    schema = b'{"properties": {"a": {"additionalProperties": false, "properties": {"b": {}}}}}'
    root = table({"templates/all.yaml": b"{{ toYaml .Values.a }}", "values.schema.json": schema})
    assert mappings(root)["a"].is_refused
    assert mappings(root)["a"].keys == {"b"}
