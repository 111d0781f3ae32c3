/** Small templates about what Jinja2 does otherwise than JavaScript, and what chat templates do with it. */
export const TEMPLATES: readonly string[] = [
  // Values as they are printed
  '{{ true }} {{ false }} {{ True }} {{ none }} {{ None }}',
  '[{{ nothing }}]',
  '{{ [1, "a", none, true, 1.5, [2], {"k": "v"}] }}',
  '{{ {"a": 1, "b": [true, none], 3: "x"} }}',
  '{{ (1, 2) }} {{ (1,) }} {{ () }} {{ ("a", nothing) }}',
  `{{ ["it's", 'say "x"', 'both \\' and "'] }}`,
  '{{ ["tab\\t", "line\\n", "back\\\\slash", "\\x00", "\\u200b", "\\xa0", "é", "日本", "🙂"] }}',
  '{{ 1.0 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ 1.5e300 }} {{ 123456789.125 }}',
  '{{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 1_0.5 }}',
  '{{ values }} {{ nested }}',
  '{{ flag }} {{ off }} {{ empty }} {{ number }} {{ ratio }}',
  '{{ {"a": 1}.items() }} {{ {"a": 1}.keys() }} {{ {"a": 1}.values() }}',
  '{{ range(3) }} {{ range(1, 7, 2) }}',
  '{{ 1, 2 }}',
  '{{ true ~ none ~ 1.0 ~ [1] ~ nothing }}',
  '{{ "a" "b" }}',
  // Numbers
  '{{ -7 % 3 }} {{ 7 % -3 }} {{ -7 // 3 }} {{ 7 // -3 }} {{ -7.5 % 2 }} {{ -7.5 // 2 }}',
  '{{ 7 / 2 }} {{ 6 / 2 }} {{ 7 // 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }}',
  '{{ 2.0 ** 2 }}',
  '{{ -2 ** 2 }} {{ -1 | abs }} {{ 3 - -2 }} {{ 3 -2 }} {{ +4 }} {{ -0.0 }} {{ 0 * -1 }}',
  '{{ 1 + 2 ~ 3 }}',
  '{{ 1 ~ 2 + 3 }}',
  '{{ "1" + 2 }}',
  '{{ true + true }} {{ true * 3 }} {{ 1 == true }} {{ 1.0 == 1 }} {{ -true }}',
  '{{ 1 / 0 }}',
  '{{ 4 % 0 }}',
  '{{ 10 / 4 * 2 }} {{ 10 - 4 - 3 }} {{ 2 + 3 * 4 }} {{ (2 + 3) * 4 }}',
  '{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 0.125 | round(2) }} {{ 7 | round }} {{ 1.21 | round(1, "ceil") }} {{ 1.29 | round(1, "floor") }}',
  '{{ "42" | int }} {{ "4.9" | int }} {{ "x" | int }} {{ "x" | int(7) }} {{ 3.99 | int }} {{ -3.99 | int }} {{ true | int }} {{ none | int }} {{ " 5 " | int }} {{ "1_000" | int }}',
  '{{ "4.5" | float }} {{ 2 | float }} {{ "x" | float }} {{ "x" | float(1) }} {{ "1e3" | float }} {{ ".5" | float }}',
  '{{ [1, 2, 3] | sum }} {{ [1.5, 2] | sum }} {{ [] | sum }} {{ [{"n": 2}, {"n": 3}] | sum(attribute="n") }}',
  '{{ 9007199254740991 }}',
  '{{ number // 2 }} {{ ratio * 2 }} {{ ratio // 1 }} {{ -4.0 % 2 }}',
  // Comparisons
  '{{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 1 == 1 != 2 }} {{ 1 < 2 == true }}',
  '{{ "a" < "b" }} {{ "Z" < "a" }} {{ "ﬀ" < "🙂" }} {{ [1, 2] < [1, 3] }} {{ [1] < [1, 0] }} {{ (1, 2) == (1, 2) }} {{ [1] == (1,) }}',
  '{{ [1, [2]] == [1, [2]] }} {{ {"a": [1]} == {"a": [1]} }} {{ {"a": 1} == {"a": 1.0} }} {{ "1" == 1 }} {{ none == false }}',
  '{{ "a" < 1 }}',
  '{{ none < 1 }}',
  '{{ nothing == other }} {{ nothing == none }} {{ nothing != "" }}',
  '{{ nothing < 1 }}',
  '{{ "b" in "abc" }} {{ "" in "abc" }} {{ 1 in [1, 2] }} {{ "a" in {"a": 1} }} {{ 3 not in (1, 2) }} {{ "x" in nothing }}',
  '{{ 1 in "123" }}',
  '{{ none in [none] }} {{ true in [1] }} {{ [1] in [[1]] }} {{ 1.0 in [1] }}',
  '{{ not 1 == 2 }} {{ not true and false }} {{ not (true and false) }} {{ 1 and 2 }} {{ 0 or "x" }} {{ none or 0 }} {{ "" and 1 }}]',
  '{{ not "a" in "b" }} {{ not not 1 }}',
  // Undefined
  '{{ nothing.a }}',
  '{{ nothing["a"] }}',
  '[{{ message.missing }}] [{{ message["missing"] }}] [{{ values[99] }}] [{{ values.x }}]',
  '{{ message.missing.more }}',
  '{{ nothing + 1 }}',
  '{{ nothing() }}',
  '{{ message.missing() }}',
  '{{ nothing | length }} {{ nothing | list }} [{{ nothing | upper }}] {{ nothing | default("d") }} {{ none | default("d") }} {{ "" | default("d", true) }} {{ none | d("e", boolean=true) }}',
  '{% for x in nothing %}x{% else %}none{% endfor %}',
  '{% for x in none %}x{% endfor %}',
  '{% for x in 5 %}x{% endfor %}',
  '{{ [nothing] }} [{{ "a" if false }}] {{ ("a" if false) is defined }}',
  '{{ nothing | int }}',
  '{{ nothing | tojson }}',
  // Texts
  '{{ "🙂é" | length }} {{ "🙂é"[0] }} {{ "a🙂b"[1:] }} {{ "a🙂b"[::-1] }} {{ "🙂" | list }} {{ "a🙂b".find("b") }} {{ "x🙂" | reverse }}',
  '{{ emoji | length }} {{ emoji[-1] }} {{ emoji[1:3] }} {{ emoji.split("a") }}',
  '{% for c in "a🙂" %}<{{ c }}>{% endfor %}',
  '{{ "a,b,,c".split(",") }} {{ "a,b,c".split(",", 1) }} {{ " a  b ".split() }} {{ " a  b c ".split(none, 1) }} {{ "abc".split("x") }} {{ "".split() }} {{ "".split(",") }}',
  '{{ "a,b,c".rsplit(",", 1) }} {{ " a b c ".rsplit(none, 1) }} {{ "a</t>b</t>c".split("</t>")[-1] }} {{ "a b".rsplit() }}',
  '{{ "a\\nb\\r\\nc\\n".splitlines() }} {{ "\\n".splitlines() }} {{ "".splitlines() }}',
  '[{{ "  a ".strip() }}] [{{ "  a ".lstrip() }}] [{{ "  a ".rstrip() }}] [{{ "xxaxx".strip("x") }}] [{{ "abcba".strip("ab") }}] [{{ "\\ufeffa\\x1f".strip() | length }}] [{{ " a " | trim }}] [{{ "xax" | trim("x") }}]',
  '{{ "abc".startswith("a") }} {{ "abc".endswith(("x", "c")) }} {{ "abc".startswith("") }} {{ "abc".startswith(("b",)) }}',
  '{{ "aaa".replace("a", "b", 2) }} {{ "abc".replace("", "-") }} {{ "abc".replace("", "-", 2) }} {{ "aaa" | replace("a", "b", 1) }} {{ 121 | replace(1, 3) }} {{ "a$b".replace("$", "$&") }}',
  '{{ "ß".upper() }} {{ "İ".lower() | length }} {{ "ΑΣ".lower() }} {{ "hello wORLD" | title }} {{ "hELLO wORLD" | capitalize }} {{ "it\'s a-b (c)" | title }} {{ "éa" | capitalize }}',
  '{{ "a" * 3 }} {{ 3 * "a" }} {{ "a" * -1 }}] {{ [1] * 2 }} {{ "=" * 10 }} {{ (1,) * 2 }}',
  '{{ "abc"[5:] }}] {{ "abc"[-2:] }} {{ "abc"[:-1] }} {{ "abc"[::2] }} {{ "abcdef"[4:1:-1] }} {{ "abc"[10] }}] {{ "abc"[-1] }} {{ "abc"[:2:] }}',
  '{{ "abc".count("b") }} {{ "aaa".count("aa") }} {{ "abc".count("") }} {{ "abc".find("z") }} {{ "abcb".rfind("b") }} {{ "abc".index("c") }}',
  '{{ "abc".index("z") }}',
  '{{ "a=b=c".partition("=") }} {{ "a=b=c".rpartition("=") }} {{ "abc".partition("=") }} {{ "abc".rpartition("=") }}',
  '{{ "test_x".removeprefix("test_") }} {{ "x.py".removesuffix(".py") }} {{ "x".removesuffix("") }}',
  '{{ "12".isdigit() }} {{ "1a".isdigit() }} {{ "".isdigit() }} {{ "aé".isalpha() }} {{ " ".isspace() }} {{ "".isspace() }} {{ "٣".isdigit() }}',
  '{{ "7".zfill(3) }} {{ "-7".zfill(4) }} {{ "abc".zfill(2) }}',
  '{{ ", ".join(["a", "b"]) }} {{ "-".join("abc") }} {{ "".join([]) }}]',
  '{{ ", ".join([1]) }}',
  "{{ \"\\d \\x41 \\u00e9 \\U0001F642 \\101 \\q\" }} {{ 'a\\'b' }}",
  '{{ "a\nb" }}',
  '{{ "\\N{DASH}" }}',
  '{{ "abc".format() }}',
  '{{ "x{}".format(1) }}',
  '{{ "abc".center(9) }}',
  '{{ "abc".title() }}',
  '{{ "abc".isupper() }}',
  // Formats
  '{{ "%s and %s" % ("a", 1) }} {{ "%d" % 3.7 }} {{ "%.2f" % 2.675 }} {{ "%5d|%-5d|%05d" % (1, 2, -3) }} {{ "%s" % none }} {{ "%s" % [1, 2] }} {{ "%r" % "x" }} {{ "100%%" % () }}',
  '{{ "%(a)s %(b)d" % {"a": "x", "b": 2} }} {{ "%+d" % 5 }} {{ "%.3s" % "abcdef" }} {{ "%.0f %.1f" % (2.5, 0.25) }}',
  '{{ "%x" % 255 }} {{ "%e" % 12345.678 }}',
  '{{ "%s" % (1, 2) }}',
  '{{ "%s %s" % "a" }}',
  '{{ "%d" % "x" }}',
  '{{ "%s-%s" | format("a", true) }} {{ "%(n)s" | format(n=1) }}',
  // Lists and maps
  '{{ [3, 1, 2] | sort }} {{ ["b", "A", "c"] | sort }} {{ ["b", "A", "c"] | sort(case_sensitive=true) }} {{ [1, 2] | sort(reverse=true) }} {{ ["b", "B", "a"] | sort(true) }}',
  '{{ [1, "a"] | sort }}',
  '{{ tools | sort(attribute="name") | map(attribute="name") | join(",") }} {{ tools | sort(attribute="n,name", reverse=true) | map(attribute="name") | list }}',
  '{{ {"b": 1, "A": 2} | dictsort }} {{ {"b": 1, "A": 2} | dictsort(true) }} {{ {"b": 1, "a": 2} | dictsort(by="value") }} {{ {"b": 1, "a": 2} | dictsort(reverse=true) }}',
  '{{ {"b": 1, "a": 2} | items | list }} {{ {"b": 1} | list }} {{ {"b": 1} | length }} {{ {"b": 1} | first }}',
  '{{ message.get("role") }} {{ message.get("x") }} {{ message.get("x", 1) }} {{ message.keys() | list }} {{ message.values() | list }}',
  '{% for k, v in message.items() %}{{ k }}={{ v }};{% endfor %}',
  '{% for k in message %}{{ k }};{% endfor %}',
  '{{ shadow.items }}',
  '{{ shadow["items"] }} {{ shadow.get("items") }} {{ shadow.name }} {{ shadow.values is callable }} {{ shadow.keys is string }}',
  '{{ values[0] }} {{ values.0 }} {{ values[-1] }} {{ values[1:] }} {{ values[true] }} [{{ values["0"] }}] [{{ values[0.0] }}]',
  '{{ {1: "a", "1": "b"}[1] }} {{ {1: "a"}["1"] }}] {{ {"a": 1}.a }} {{ {"a-b": 1}["a-b"] }} {{ {none: 1}[none] }}',
  '{{ {true: "a"} }}',
  '{{ [1, 2].append(3) }}',
  '{% set x = [1] %}{% set _ = x.append(2) %}{{ x }}',
  '{{ {"a": 1}.update({"b": 2}) }}',
  '{{ {"a": 1}.pop("a") }}',
  '[{{ [1].append }}]',
  '{{ [1, 2] + [3] }} {{ (1,) + (2,) }} {{ [1, 1, 2].count(1) }} {{ [1, 2].index(2) }}',
  '{{ [1] + (2,) }}',
  '{{ [1, 2, 3] | first }} {{ [1, 2, 3] | last }} [{{ [] | first }}] [{{ [] | last }}] {{ "abc" | first }} {{ "abc" | last }} {{ {"a": 1} | last }}',
  '{{ [3, 1, 2] | max }} {{ [3, 1, 2] | min }} {{ ["b", "A"] | min }} {{ tools | max(attribute="n") }} [{{ [] | max }}]',
  '{{ [1, 2, 1, "A", "a"] | unique | list }} {{ ["A", "a"] | unique(case_sensitive=true) | list }} {{ tools | unique(attribute="n") | map(attribute="name") | list }}',
  '{{ [1, 2, 3] | reverse | list }} {{ "abc" | reverse }} {{ (1, 2) | reverse | list }}',
  '{{ [1, 2, 3] | reverse }}',
  '{{ ["a", "b"] | map("upper") | list }} {{ ["a", "b"] | map("upper") | join("-") }} {{ [" a "] | map("trim") | first }} {{ ["a"] | map("replace", "a", "b") | list }}',
  '{{ ["a"] | map("upper") }}',
  '{{ (["a"] | map("upper")) | length }}',
  '{{ ["a"] | map("nope") | list }}',
  '{{ [] | map("upper") is iterable }} {% if [] | map("upper") %}yes{% endif %}',
  '{% set g = ["a"] | map("upper") %}{{ g | join }}{{ g | join }}]',
  '{{ tools | map(attribute="f.x") | list }} {{ tools | map(attribute="zz", default="d") | list }} {{ [[1, 2]] | map(attribute=0) | list }}',
  '{{ [1, 2, 3, 4] | select("even") | list }} {{ [1, 0, none, "a"] | select | list }} {{ [1, 2] | reject("odd") | list }} {{ [1, 2, 3] | select("gt", 1) | list }} {{ [1, 2] | select("==", 2) | list }}',
  '{{ tools | selectattr("n") | map(attribute="name") | list }} {{ tools | selectattr("name", "equalto", "b") | list | length }} {{ tools | rejectattr("n", "eq", 0) | map(attribute="name") | join }} {{ tools | selectattr("name", "in", ["a"]) | list | length }} {{ tools | selectattr("zz", "defined") | list }}',
  '{{ [1] | select("nope") | list }}',
  '{{ [1, 2] | join }} {{ [1, none, true] | join(", ") }} {{ tools | join("+", attribute="name") }} {{ "abc" | join("-") }}',
  '{{ [1, 2, 3] | batch(2) | list }}',
  '{{ tools | groupby("n") }}',
  '{{ dict(a=1, b=2) }} {{ dict([("a", 1)]) }} {{ dict({"a": 1}, b=2) }}',
  '{{ values is sequence }} {{ values | string }} {{ values | length }} {{ values | count }}',
  // Tests
  '{{ 1 is number }} {{ 1.5 is float }} {{ 1 is integer }} {{ true is integer }} {{ true is number }} {{ true is boolean }} {{ 1.0 is integer }}',
  '{{ "a" is string }} {{ "a" is sequence }} {{ {} is mapping }} {{ {} is sequence }} {{ [] is iterable }} {{ 1 is iterable }} {{ nothing is iterable }} {{ nothing is sequence }} {{ none is none }} {{ "a" is iterable }}',
  '{{ x is defined }} {{ number is defined }} {{ x is undefined }} {{ x is not defined }} {{ none is defined }} {{ nothing is none }}',
  '{{ 4 is even }} {{ 3 is odd }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ -3 is odd }} {{ 4 is divisibleby 2 and true }}',
  '{{ 1 is eq 1 }} {{ 1 is ne(2) }} {{ 2 is gt 1 }} {{ 1 is lessthan 2 }} {{ 1 is in [1, 2] }} {{ 3 is not in [1, 2] }} {{ true is true }} {{ 1 is true }} {{ none is sameas none }} {{ false is false }}',
  '{{ range is callable }} {{ 1 is callable }} {{ namespace is callable }} {{ "a".upper is callable }}',
  '{{ "abc" is lower }}',
  '{{ 1 is nope }}',
  '{{ "a" is escaped }}',
  '{{ {}.items() is sequence }} {{ {}.keys() is iterable }} {{ range(3) is sequence }} {{ (1,) is sequence }}',
  // JSON
  '{{ {"a": [1, 2.0, true, none, "é<>&\\u2028"]} | tojson }}',
  '{{ "é🙂\\"\\\\\\n\\x01\\x7f/" | tojson }} {{ "é🙂" | tojson(ensure_ascii=true) }} {{ "\\x7f" | tojson(true) }}',
  '{{ {"b": [], "a": {}, "c": [1, {"d": 2}]} | tojson(indent=2) }}',
  '{{ {"b": 1, "a": [1, 2]} | tojson(sort_keys=true) }} {{ [1, {"a": 2}] | tojson(separators=(",", ":")) }} {{ [1] | tojson(indent="--") }} {{ [1, 2] | tojson(indent=0) }}',
  '{{ {1: 2, none: 3} | tojson }} {{ (1, 2) | tojson }} {{ 1e16 | tojson }} {{ 1.0 | tojson }} {{ "a" | tojson | length }} {{ [] | tojson(indent=1) }} {{ {} | tojson }}',
  '{{ range(3) | tojson }}',
  '{{ [1] | map("string") | tojson }}',
  '{{ tools | tojson }} {{ tools | tojson(indent=4) }} {{ message | tojson }}',
  '{{ tools | tojson | safe }}{{ "<" | safe ~ "<" }}{{ ("<" | safe) + "<a & \'b\'>" }}',
  '{{ ("<" | safe) | length }} {{ ("<" | safe) == "<" }} {{ ("<" | safe) is string }}',
  '{{ ("<" | safe) | upper }}',
  '{{ "<" | escape }}',
  '{{ lone | tojson }} {{ lone | length }}',
  // Whitespace
  'a\n{% if true %}\nb\n{% endif %}\nc\n',
  'a\n  {% if true %}  \n  b\n  {% endif %}\nc',
  'a  {%- if true -%}  b  {%- endif -%}  c',
  'a\n  {{ 1 }}\n  {{- 2 }}\n  {{ 3 -}}\n  b',
  '  {%+ if true %}x{% endif +%}\ny',
  'x {% if true %} y {% endif %} z\n\n',
  '{# c #}\nx{#- c -#}  y\n  {# c #}\nz',
  '{% raw %}{{ a }}{% b %}{% endraw %}',
  'a\n  {% raw %}  \n {{ x }} {% endraw %}\nb',
  'a {%- raw -%} {{ x }} {%- endraw -%} b',
  'a\r\nb\rc\n{% if true %}\r\nd{% endif %}',
  '{% if true %}a{% endif %}\n{% if true %}b{% endif %}\n\n{% if true %}c{% endif %}\n',
  '{{ "a" }}\n{{ "b" }}\n',
  '\t{% set x = 1 %}\n\t{{ x }}',
  '{{ {"a": {"b": 1}} }}{{ {"a": {"b": 1}}["a"]["b"] }}',
  '{{ "}}" }} {{ "%}" }} {{ "{{" }} } {% if "%}" %}x{% endif %}',
  '\u00A0{% if true %}x{% endif %}\u2003{%- if true %}y{% endif %}\uFEFF{%- if true %}z{% endif %}',
  '{{\n1\n+\n2\n}}',
  '{%if 1%}a{%endif%}{%-if 0-%}b{%-endif-%}',
  '{{- 1 -}}',
  '{{+ 1 }}',
  '{# {{ x }} #}{##}{#-#}',
  // Loops
  '{% for x in values %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}',
  '{% for x in values %}[{{ loop.previtem }}|{{ loop.nextitem }}|{{ loop.cycle("a", "b") }}|{{ loop.changed(x > 1) }}|{{ loop.depth }}]{% endfor %}',
  '{% for x in values if x > 1 %}{{ x }}{{ loop.length }}{% else %}none{% endfor %}',
  '{% for x in values if x > 100 %}{{ x }}{% else %}none{% endfor %}',
  '{% for a, b in [(1, 2), [3, 4], "xy"] %}{{ a }}{{ b }};{% endfor %}',
  '{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}',
  '{% for (a, (b, c)) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}',
  '{% for x in values %}{% for y in values %}{{ loop.index }}{% endfor %}{{ loop.index }};{% endfor %}',
  '{% for x in values %}{% set outer = loop %}{% for y in "ab" %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}',
  '{% for x in values %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% if x == 3 %}{% break %}{% endif %}{% endfor %}',
  '{% set x = 1 %}{% for y in values %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}',
  '{% for x in values %}{% if loop.first %}{% set seen = x %}{% endif %}[{{ seen }}]{% endfor %}[{{ x }}]',
  '{% for x in [] %}{% else %}empty{% endfor %}{% for x in {"a": 1} %}{{ x }}{% endfor %}',
  '{% for x in range(3) %}{{ x }}{% endfor %}{% for x in range(5, 0, -2) %}{{ x }}{% endfor %}',
  '{% for x in values recursive %}{{ x }}{% endfor %}',
  '{% for x in range(1000000) %}{% endfor %}',
  '{% break %}',
  '{{ loop }}',
  '{% for x in values %}{{ loop }}{% endfor %}',
  '{% for x in values | reverse %}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}',
  '{% for i in range(values | length - 1, -1, -1) %}{{ values[i] }}{% endfor %}',
  '{% for x in 1, 2 %}{{ x }}{% endfor %}',
  '{% for x in values if loop.index %}{{ x }}{% endfor %}',
  '{% for x in "ab" if x == "a" else "c" %}{{ x }}{% endfor %}',
  // Sets, scopes and namespaces
  '{% set a, b = 1, "x" %}{{ a }}{{ b }}{% set c = 1, 2 %}{{ c }}{% set d = [1, 2][0] %}{{ d }}',
  '{% set ns = namespace(n=0, found=false) %}{% for x in values %}{% set ns.n = ns.n + x %}{% set ns.found = true %}{% endfor %}{{ ns.n }} {{ ns.found }} [{{ ns.other }}]',
  '{% set ns = namespace({"a": 1}, b=2) %}{{ ns.a }}{{ ns["b"] }}{{ ns is mapping }}{{ ns is defined }}',
  '{% set ns = namespace() %}{% set ns._x = 1 %}',
  '{% set message.role = 1 %}',
  '{{ namespace() }}',
  '{% set x %}a {{ number }} b{% endset %}[{{ x }}] {{ x | length }}',
  '{% set x | upper | trim %} abc {% endset %}[{{ x }}]',
  '{% set x %}{% set y = 1 %}{% endset %}[{{ y }}]',
  '{% if true %}{% set x = 1 %}{% endif %}{{ x }}',
  '{% if false %}{% set number = 9 %}{% endif %}{{ number }}',
  '{% set number = number + 1 %}{{ number }}',
  '{% for x in values %}{% set number = x %}{% endfor %}{{ number }}',
  '{% set true = 1 %}',
  '{% set %}x{% endset %}',
  '{% filter upper %}a{{ number }}b{% endfilter %} {% filter replace("a", "b") | upper %}aa{% endfilter %}',
  '{% generation %}a{% set z = 1 %}{% endgeneration %}[{{ z }}]',
  '{% for m in messages %}{% if m.role == "assistant" %}{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}',
  '{% with a = 1 %}{{ a }}{% endwith %}',
  '{% include "x" %}',
  '{% import "x" as y %}',
  '{% extends "x" %}',
  '{% block a %}x{% endblock %}',
  '{% do x %}',
  '{% set x = 1 %}\n\n{# a\ncomment #}\n{{ x | pprint }}',
  '{% autoescape true %}{{ "<" }}{% endautoescape %}',
  '{% print 1 %}',
  // Conditions
  '{% if values %}a{% endif %}{% if empty %}b{% else %}c{% endif %}{% if {} %}d{% elif [] %}e{% elif 0.0 %}f{% elif "0" %}g{% else %}h{% endif %}',
  '{{ "a" if true else "b" }} {{ "a" if 0 else "b" if 0 else "c" }} [{{ "a" if none }}] {{ ("x" if false else "y") ~ "z" }}',
  '{% if number > 5 and flag or off %}a{% endif %}{% if not off %}b{% endif %}{% if message.role == "user" and "content" in message %}c{% endif %}',
  '{% if 1: %}a{% else: %}b{% endif %}',
  '{% if message is mapping and message.content is string %}a{% endif %}{% if message["content"] is not none %}b{% endif %}',
  '{% if true %}a',
  '{% endif %}',
  '{{ 1 + }}',
  '{{ [1 2] }}',
  '{{ (1 }}',
  '{{ 1',
  '{{ }}',
  '{{ a b }}',
  '{{ "a }}',
  '{{ a ! b }}',
  '{{ a && b }}',
  '{{ 1 if }}',
  // Macros
  '{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(b=4, a=5) }} {{ m() }} {{ m(1) | length }} {{ m("x") ~ "y" }}',
  '{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}',
  '{% macro m(a) %}{{ a }}{% endmacro %}{{ m(z=2) }}',
  '{% macro m(a, b=a) %}{{ b }}{% endmacro %}{{ m(7) }}',
  '{% macro m() %}{{ later }}{{ number }}{% endmacro %}{% set later = "L" %}{{ m() }}',
  '{% macro m() %}{% set number = 5 %}{{ number }}{% endmacro %}{{ m() }}{{ number }}',
  '{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}',
  '{% macro m(a, b=1, c) %}{% endmacro %}',
  '{% macro m() %}{{ varargs }}{% endmacro %}{{ m(1) }}',
  '{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}x{{ number }}{% endcall %}',
  '{% macro m(xs) %}{% for x in xs %}{{ caller(x) }};{% endfor %}{% endmacro %}{% call(y) m(values) %}{{ y * 2 }}{% endcall %}',
  '{% macro m() %}x{% endmacro %}{% call m() %}y{% endcall %}',
  '{% macro m() %}{{ caller }}{% endmacro %}[{{ m() }}]',
  '{{ m(*[1, 2], **{"a": 1}) }}',
  '{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }} {{ m(**{"a": 1, "b": 2}) }} {{ m(1, *[2]) }}',
  '{% macro m() %}{% for x in values %}{{ x }}{% endfor %}{% endmacro %}{{ m() | trim }}',
  '{% macro m() %}{% endmacro %}{{ m }}',
  '{{ raise_exception("no: " ~ number) }}',
  '{% if messages[0].role != "system" %}{{ raise_exception("first") }}{% endif %}',
  '{{ strftime_now("%d %b %Y %Q") }}',
  '{{ lipsum(n=0) }}',
  '{{ cycler(1, 2) }}',
  '{{ joiner(",") }}',
  '{{ self }}',
  // Other filters
  '{{ "a\nb\n\nc" | indent }}|{{ "a\nb" | indent(2, true) }}|{{ "a\n\nb" | indent(2, blank=true) }}|{{ "a\nb" | indent("> ") }}',
  '{{ "abc" | upper | lower | capitalize }} {{ none | upper }} {{ 1 | string | length }} {{ [1] | string }} {{ true | lower }}',
  '{{ -5 | abs }} {{ -5.5 | abs }} {{ "a" | abs }}',
  '{{ "a b c" | wordcount }}',
  '{{ "abc" | truncate(2) }}',
  '{{ "a b" | urlencode }}',
  '{{ 1024 | filesizeformat }}',
  '{{ "x" | nope }}',
  '{{ "a" | length() }} {{ "a"|upper|length }}',
  '{{ "a" | upper(1) }}',
  '{{ "a" | default }} {{ x | default(y) | default("z") }}',
  '{{ (1, 2) | join("-") }} {{ {"a": 1} | join }}',
  '{{ [[1, 2], [3]] | sum(start=[]) }}',
  '{{ 3 | random }}',
  '{{ "x" | attr("upper") }}',
  '{{ "<b>x</b>" | striptags }}',
  '{{ (5).real }}',
  '{{ "a".__class__ }}',
  '{{ "a".nope }}]',
  '{{ "a".nope() }}',
  '{{ 1() }}',
  '{{ values[0](1) }}',
  // As in chat templates
  "{%- for message in messages %}\n    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}\n{%- endfor %}\n{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n",
  "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}{{ message.content | trim }}{% endfor %}",
  "{%- set ns = namespace(last=-1) %}{%- for message in messages[::-1] %}{%- set index = (messages | length - 1) - loop.index0 %}{%- if ns.last == -1 and message.role == 'user' %}{%- set ns.last = index %}{%- endif %}{%- endfor %}{{ ns.last }}",
  "{%- for tool in tools %}\n{{- '\\n' }}{{ tool | tojson }}\n{%- endfor %}",
  "{%- macro render(xs) %}{%- for k, v in xs.items() %}{{ '\\n<' ~ k ~ '>' ~ (v if v is string else v | tojson) ~ '</' ~ k ~ '>' }}{%- endfor %}{%- endmacro %}{{ render(nested) }}",
  "{%- set content = '<think>a</think>\\n\\nb' %}{{ content.split('</think>')[-1].lstrip('\\n') }}|{{ content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') }}",
  "{% if not tools is defined %}a{% else %}b{% endif %}{% if not date is defined %}{% set date = '26 Jul 2024' %}{% endif %}{{ date }}",
  "{%- set loop_messages = messages[1:] if messages[0]['role'] == 'system' else messages %}{{ loop_messages | length }}{{ loop_messages[0].content[:2] }}",
  "{{ messages | selectattr('role', 'equalto', 'user') | list | last | attr('x') }}",
  "{{ (messages | selectattr('role', 'equalto', 'user') | list | last).content }}{{ messages | map(attribute='role') | unique | sort | join(',') }}",
  // As published templates have it
  `{%- macro render_extra_keys(json_dict, handled_keys) -%}
    {%- if json_dict is mapping %}
        {%- for json_key in json_dict if json_key not in handled_keys %}
            {%- if json_dict[json_key] is mapping or (json_dict[json_key] is sequence and json_dict[json_key] is not string) %}
                {{- '\\n<' ~ json_key ~ '>' ~ (json_dict[json_key] | tojson | safe) ~ '</' ~ json_key ~ '>' }}
            {%- else %}
                {{-'\\n<' ~ json_key ~ '>' ~ (json_dict[json_key] | string) ~ '</' ~ json_key ~ '>' }}
            {%- endif %}
        {%- endfor %}
    {%- endif %}
{% endmacro %}
{{- render_extra_keys(nested, ['c']) }}`,
  `{%- macro render_typescript_type(param_spec, required_params, is_nullable=false) -%}
    {%- if param_spec.type == "array" -%}
        {%- if param_spec['items'] -%}
            {%- if param_spec['items']['type'] == "string" -%}{{- "string[]" }}{%- elif param_spec['items']['type'] == "number" -%}{{- "number[]" }}{%- endif -%}
            {%- if param_spec.nullable -%}{{- " | null" }}{%- endif -%}
        {%- endif -%}
    {%- elif param_spec.type is defined and param_spec.type is iterable and param_spec.type is not string and param_spec.type is not mapping and param_spec.type[0] is defined -%}
        {{- param_spec.type | join(" | ") }}
    {%- elif param_spec.type == "object" -%}
        {%- for prop_name, prop_spec in param_spec.properties.items() -%}
            {{- prop_name -}}{%- if prop_name not in (param_spec.required or []) -%}{{- "?" }}{%- endif -%}{{- ": " }}{{ render_typescript_type(prop_spec, param_spec.required or []) }}
            {%- if not loop.last -%}{{-", " }}{%- endif -%}
        {%- endfor -%}
    {%- else -%}{{- "any" }}{%- endif -%}
{%- endmacro -%}
{{ render_typescript_type({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}, "b": {"type": ["x", "y"]}}, "required": ["a"]}, []) }}{{- " // " + ("d" | default("x")) }}`,
  `{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- for t in tools %}
    {{- t | tojson(indent=4) }}
    {{- "\\n\\n" }}
{%- endfor %}
{{- system_message }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {%- for arg_name, arg_val in tool_call.arguments | items %}
            {{- arg_name + '="' + arg_val + '"' }}
        {%- endfor %}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
`,
  `{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if loop.index0 > ns.last_query_index %}
        {%- if loop.last or (not loop.last and reasoning_content) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- endif %}
    {%- else %}{{- '<|im_start|>' + message.role + '\\n' + content }}{%- endif %}
    {%- if loop.first or (loop.previtem.role != "tool") %}{{- "[" + loop.index|string + "]" }}{%- endif %}
    {%- if not loop.last and loop.nextitem.role == "user" %}{{- ">" }}{%- endif %}
{%- endfor %}`,
  `{%- if messages[0]["role"] == "system" %}{%- set system_message = messages[0]["content"] %}{%- set loop_messages = messages[1:] %}{%- else %}{%- set loop_messages = messages %}{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{#- This block checks for alternating user/assistant messages, skipping tool calling messages #}
{%- set ns = namespace() %}{%- set ns.index = 0 %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or message.role == "tool_results" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}{{- raise_exception("must alternate") }}{%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{%- for message in loop_messages %}{%- if message["role"] == "user" %}{%- if tools is not none and (message == user_messages[-1]) %}{{- "[AVAILABLE_TOOLS] [" }}{%- for tool in tools %}{{- '{"type": "function", ' }}{%- for key, val in tool.items() if key != "return" %}{%- if val is string %}{{- '"' + key + '": "' + val + '"' }}{%- else %}{{- '"' + key + '": ' + val|tojson }}{%- endif %}{%- if not loop.last %}{{- ", " }}{%- endif %}{%- endfor %}{{- "}" }}{%- endfor %}{{- "[/AVAILABLE_TOOLS]" }}{%- endif %}{{- "[INST] " + message["content"] + "[/INST]" }}{%- else %}{{- " " + message["content"]|trim + "</s>"}}{%- endif %}{%- endfor %}`,
  `{{ bos_token }}{%- for message in messages -%}{%- if (message['role'] == 'assistant') -%}{%- set role = "model" -%}{%- else -%}{%- set role = message['role'] -%}{%- endif -%}{{ '<start_of_turn>' + role + "\n" + ("" if loop.first else "") }}{%- if message['content'] is string -%}{{ message['content'] | trim }}{%- elif message['content'] is iterable -%}{%- for item in message['content'] -%}{%- if item['type'] == 'image' -%}{{ '<start_of_image>' }}{%- endif -%}{%- endfor -%}{%- else -%}{{ raise_exception("Invalid content type") }}{%- endif -%}{{ '<end_of_turn>\n' }}{%- endfor -%}`,
  `{%- macro json_to_python_type(json_spec) %}{%- set basic_type_map = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"} %}{%- if basic_type_map[json_spec.type] is defined %}{{- basic_type_map[json_spec.type] }}{%- elif json_spec.type == "array" %}{{- "list[" +  json_to_python_type(json_spec|items) + "]"}}{%- elif json_spec.type is iterable %}{{- "Union[" }}{%- for t in json_spec.type %}{{- json_to_python_type({"type": t}) }}{%- if not loop.last %}{{- "," }}{%- endif %}{%- endfor %}{{- "]" }}{%- else %}{{- "Any" }}{%- endif %}{%- endmacro %}{{ json_to_python_type({"type": ["string", "number"]}) }} {{ json_to_python_type({}) }}`,
  `{%- macro format_parameters(properties, required) -%}{%- set standard_keys = ['description', 'type'] -%}{%- set ns = namespace(found_first=false) -%}{%- for key, value in properties | dictsort -%}{%- if key not in standard_keys -%}{%- if ns.found_first %},{% endif -%}{%- set ns.found_first = true -%}{{- key }}:{type:<escape>{{ value['type'] | upper }}<escape>}{%- endif -%}{%- endfor -%}{%- endmacro -%}{{ format_parameters({"b": {"type": "string"}, "A": {"type": "int"}, "type": {}}, []) }}`,
  // Slices with steps, and filters of numbers and lists.
  '{{ "abcdef"[::2] }} {{ "abcdef"[1::3] }} {{ "abcdef"[4:1:-1] }} {{ "abcdef"[-2::-2] }} {{ "ab"[5:0:-1] }}|',
  '{{ emoji[::-1] | length }} {{ values[2:0:-1] }} {{ values[-9:9:2] }} {{ (1, 2, 3, 4)[::-2] }} {{ values[3:1:1] }}',
  '{{ values[::0] }}',
  '{{ [3, 1.5, true] | min }} {{ ["b", "A", "c"] | min }} {{ ["b", "A"] | min(true) }} {{ [] | min }}|{{ tools | max(attribute="n") }}',
  '{{ [1, 3, 3.0] | max }} {{ ["b", "B"] | max }} {{ tools | min(attribute="f.x") }}',
  '{{ values | sum }} {{ [0.5, 1, true] | sum }} {{ [] | sum }} {{ tools | sum(attribute="n") }} {{ values | sum(start=10) }} {{ [[1], [2]] | sum(start=[]) }}',
  '{{ ["a", "b"] | sum(start="") }}',
  '{{ ["a"] | sum }}',
  '{{ ["b", "a", "B", "b"] | unique | list }} {{ ["b", "B"] | unique(true) | list }} {{ [1, true, 1.0, 2] | unique | list }} {{ tools | unique(attribute="n") | map(attribute="name") | list }}',
  '{{ [[1], [1]] | unique | list }}',
  '{{ "1.5" | float }} {{ "x" | float }} {{ "x" | float(2) }} {{ 3 | float }} {{ true | float }} {{ none | float }} {{ " 2e3 " | float }} {{ 0 | float }}',
  '{{ values | select("gt", 1) | list }} {{ values | reject("le", 2) | list }} {{ values | select("lessthan", 2) | list }} {{ tools | selectattr("n", "ge", 1) | map(attribute="name") | list }}',
  '{{ values | select("odd") | list }} {{ 4 is even }} {{ 4.0 is even }} {{ 3 is odd }} {{ -3 is odd }} {{ 2.5 is odd }}',
  '{{ "x" is odd }}',
  '{{ "a-b-c".replace("-", "+", 1) }} {{ "a-b-c".replace("-", "+", 0) }} {{ "a-b" | replace("-", "+", 5) }} {{ "a-b".replace("-", "+", -1) }}',
  '{{ {"b": 1, "A": 2} | dictsort(by="value") }} {{ {"b": 1, "A": 2} | dictsort(false, "key", true) }} {{ {"b": 1, "A": 2} | dictsort(true) }}',
  '{{ {"b": 1} | dictsort(by="nope") }}',
  '{{ nested | tojson(separators=(",", ":")) }} {{ nested | tojson(indent=2) }} {{ nested | tojson(indent=1, separators=(" ,", " : ")) }} {{ [] | tojson(indent=2) }}',
  '{{ values | tojson(sort_keys=true) }}',
  '{{ values | map("nope") | list }}',
  '{{ values | select("nope") | list }}',
  '{{ tools | selectattr("n", "nope", 1) | list }}',
]

/** The variables of all these templates. */
export const VARIABLES: Readonly<Record<string, unknown>> = {
  values: [1, 2, 3],
  nested: { a: { b: [1, 'x', null] }, c: true, d: 'text' },
  flag: true,
  off: false,
  empty: [],
  number: 7,
  ratio: 2.5,
  emoji: '👩‍💻a🙂',
  lone: '\uD83D',
  add_generation_prompt: true,
  message: { role: 'user', content: 'Hi' },
  shadow: { items: [1], name: 'n', values: 'v', keys: 'k' },
  tools: [
    { name: 'b', n: 1, f: { x: 'X' } },
    { name: 'a', n: 0, f: { x: 'Y' } },
    { name: 'C', n: 1, f: { x: null } },
  ],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: ' Hi \n' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: "It's <b> & 🙂" },
  ],
}
