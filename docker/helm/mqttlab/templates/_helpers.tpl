{{- define "mqttlab.labels" -}}
app.kubernetes.io/name: mqttlab
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "mqttlab.podSecurity" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}
