"""Words, numbers and texts that have been somebody's undoing."""

WORDS = (
    "", " ", "-", "~", "null", "Null", "true", "no", "on", "y", "=", "<<", "*", "&a", "!x", "%", "@", "`",
    "x\n::error::owned", "x\n::set-output name=a::b", "::stop-commands::x", "x\n##[error]owned",
    "\x1b]0;owned\x07", "\x1b[2J\x1b[31m", "\x9b31m", "a\x7fb", "a\x85b", "a\x00b", "\x08\x08", "a\rb", "\r\n",
    "a\u202eb", "\u2066x\u2069", "\u200b", "\ufeff", "\u2028::error::x", "\u2029", "\u061c", "\ufffe",
    "\ud800", "\udcff", "e\u0301", "İ", "ß", "ﬁ", "雪", "👩\u200d🔧", "𝟙", "²",
    "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "a,b;c\td", 'a"b', "a'b", "a|b", "`a`",
    "<script>x</script>", "<b>&amp;", "]]>", "-->", "</svg>", "javascript:x", "[a](http://x)", "- [ ] x", "# a",
    "../../../etc/x", "/etc/x", "..", ".", "a/b", "C:\\x", "-c", "--fix", "a" * 300, "a." * 40, "A_B", "a..b", "-a",
    "{{ x }}", "{% x %}", "{{ .Values.x }}", "$(x)", "${x}", "$$", "%s%n", "{profile}", "{0}", "\\", "\\x1b",
    "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "nvidia.com/mig-9g.1gb", "nvidia.com/gpu.shared", "a/b/c", "/x", "x/",
    "gpuspec.dev/v1alpha1", "v1", "apps/v1", "/v1", "v1/", "List", "PodList", "Deployment", "ClusterProfile",
    "vllm/vllm-openai:v0.10", "x:y:z@sha256:1", "@sha256:", ":", "a:99999999999999999999", "UPPER/x",
    "0 0 30 2 *", "@daily", "*/0 * * * *", "99 99 * * *", "1-2-3 * * * *", "²/5 * * * *", "TZ=x * * * * *", "Mars/Olympus",
    "Always", "Exists", "NoSchedule", "In", "Gt", "Never", "DoNotSchedule", "100%", "0%", "-1%", "1e3%", "²%",
)  # fmt: skip
"""Texts, which are written in quotes."""

NUMBERS = (
    "0", "-0", "1", "-1", "2", "8", "64", "0.5", "1.5", "-0.5", "1e3", "1E400", "-1e400", "1e-400", ".nan", ".inf",
    "-.inf", "0x7f", "0o17", "017", "0b11", "1_000", "190:20:30", "+1", "1.", ".5", "00", "08", "300000000", "2147483647",
    "2147483648", "9223372036854775807", "9223372036854775808", "1" + "0" * 30, "9" * 400, "1" + "0" * 5000, "-" + "9" * 5000,
    "0." + "0" * 5000 + "1", "²", "٣", "１", "Ⅷ", "1²", "NaN", "Infinity", "1e", "0x", "--1",
)  # fmt: skip
"""Numbers and what looks like some, written as they stand."""

UNITS = (
    "", "m", "u", "n", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "K", "g", "GB", "%", "s",
    "ms", "h", "d", "µs", "e3", "E400", "e-400", "²", " Gi", "Gi ", "i", "MI",
)  # fmt: skip

PLAIN = (
    "null", "~", "", "true", "false", "yes", "No", "on", "off", "=", "<<", "2026-01-02", "2026-01-02T03:04:05Z",
    "2026-13-45", "0001-01-01", "9999-12-31T23:59:60Z", "12:30:45", "*a", "*none", "&a", "[", "{", "}", "]", "- -", "? a",
    "!!str", "!!binary aGk=", "!!binary '*'", "!!set {a}", "!!omap [a: 1]", "!!pairs [a: 1, a: 2]", "!!timestamp x",
    "!!float x", "!!int x", "!!int '²'", "!!null x", "!!bool x", "!!python/object/apply:os.getcwd []", "!x y", "!<tag:x> y",
    "|", ">", "|9", "'", '"', "\"\\q\"", "%YAML 1.1", "---", "...", "a: b: c", "a #b", "@a", "`a", "{a: b}", "[a, b]", "{? a : b}",
    "{[a]: b}", "{{a: b}: c}", "[[]]", "[{}]", "[null]", "[1, a, null, {}]", "{null: 1}", "{1: 1}", "{true: 1}",
    "{1.5: 1}", "{2026-01-02: 1}", '{"": 1}', "{a: 1, a: 2}", "{<<: {a: 1}}", "{<<: [1]}", "{<<: 1}", "{a: *none}",
)  # fmt: skip
"""Pieces of YAML, right and wrong, written as they stand."""

TAGS = (
    "!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!set", "!!omap", "!!pairs", "!!map", "!!seq", "!!merge",
    "!!timestamp", "!!value", "!own", "!", "!<tag:yaml.org,2002:str>", "!!python/name:os.system", "&a", "&a !!str",
)  # fmt: skip

TEXTS = (
    "\t", "\r", "\r\n", "\0", "\x0b", "\x1b[31m", "\x7f", "\x85", "\ufeff", "\u2028", "\u202e", "---\n", "...\n", "--- |\n",
    "#", " #", "# gpuspec: ignore\n", "# gpuspec: ignore GPU101\n", "# gpuspec:ignore[GPU101] \x1b\n", ":", ": ", "- ", "-", "? ",
    "{", "}", "[", "]", ",", "'", '"', "|\n", ">-\n", "&a ", "*a", "!!str ", "%YAML 1.1\n", "%TAG ! x\n", "{{ .Values.x }}",
    "{{- if x }}\n", "{{- end }}\n", "{% for x in y %}", "{{ x }}", "{#", "<<: *a\n", "=", "\\", "\\x", "\\ud800", "²",
)  # fmt: skip
"""Pieces of text to put anywhere."""

BYTES = (
    b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0", b"\x1b",
    b"\r", b"\x85", b"\xc2\x85", b"\xe2\x80\xa8",
)  # fmt: skip

NAMES = (
    "a\n::error::x.yaml", "a\x1b[31m.yaml", "\udcff.yaml", "a\rb.yaml", "=1+1.yaml", "a\u202eb.yaml", "a\x7f.yaml", "a\x85.yaml",
    "-c.yaml", "a b.yaml", "a:b.yaml", "a'b.yaml", 'a"b.yaml', "a%0Ab.yaml", "<b>.yaml", "a,b.yaml", "[x](y).yaml",
    "{profile}.yaml", "a" * 240 + ".yaml", "d/" * 60 + "a.yaml", "a\tb.yaml", "雪.yaml", "a\\b.yaml", "*.yaml", "[a].yaml",
    "Kustomization", "kustomization.yaml", ".hidden.yaml", "a.yml", "a.json", "Chart.yaml", "a.YAML",
)  # fmt: skip
"""Names of files, below the folder of a try."""

TEMPLATES = (
    "{% for i in range(999999999) %}x{% endfor %}", "{{ 'x' * 999999999 }}", "{{ ''.__class__.__mro__ }}", "{% include 'job.yaml.j2' %}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ 9 ** 999999 }}", "{{ undefined_name }}", "{% raise %}", "{{ 1 / 0 }}",
    "{% if %}", "{{", "{%", "{#", "{{ plan }}", "{{ self }}", "{% set x = [] %}{% for i in range(9) %}{% set _ = x.append(x) %}{% endfor %}{{ x }}",
    "{{ '%999999999d' % 1 }}", "{{ 'x'.center(999999999) }}", "{{ lipsum(99999) }}", "{% extends 'x' %}", "{{ namespace.__init__ }}",
    "{{ ('x' * 9999) | wordwrap(1) }}", "{{ [1] | batch(999999999) | list }}", "a: [", "- b", "\x1b",
)  # fmt: skip
