{{- define "server.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "server.metadata" -}}
name: {{ .server.name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "server.selector" .server | nindent 2 }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "server.probe" -}}
httpGet:
  path: /v1/models
  port: http
timeoutSeconds: 5
{{- end -}}

{{- define "server.resources" -}}
cpu: {{ .cpu | quote }}
memory: {{ .memory }}
ephemeral-storage: {{ .ephemeralStorage }}
{{- end -}}
