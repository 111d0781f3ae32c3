const VALUES = parts(String.raw`
  none; true; false; 0; 3; (-7); 2.5; (-0.5); 4.0; 1e20; ""; "abc"; "a🙂b"; " x "; "1";
  "a\nb"; "é'q"; ("x" | safe); []; [1, 2]; ["b", "A"]; [none, 1]; [[2, 1], [1]]; ();
  (1, "x"); (2,); {}; {"a": 1}; {"b": none, 2: [1]}; message; tools; nothing; range(3);
  {"a": 1}.items(); ([1, 2] | map("string"))
`)
const OPERATORS = [...'+ - * / // % ** ~ == != < >= in and or'.split(' '), 'not in']
const FILTERS = parts(String.raw`
  abs; capitalize; count; d("q", true); dictsort; first; float; format(1); indent; int;
  items | list; join("-"); last; list; lower; map("length") | list; max; min;
  map(attribute="a") | list; reject | list; replace("a", "b"); reverse | list; round(1);
  safe; selectattr("a") | list; select("string") | list; sort; sort(reverse=true); string;
  sum; title; tojson; tojson(indent=2); trim; unique | list; upper
`)
const TESTS = parts(String.raw`
  boolean; callable; defined; divisibleby 2; even; float; integer; iterable; mapping; none;
  number; odd; sequence; string; true; undefined; eq 1; gt 1; in [1]
`)
const PARTS = parts(String.raw`
  [0]; [-1]; [1:]; [::-1]; [:2]; [true]; [none]; [1.0]; .a; ["a"]; ["items"]; .upper();
  .strip(); .split(); .items() | list; .get("a"); .keys() | list; .count("b"); .index(1);
  .startswith("a"); .join(["a"]); .copy(); .splitlines(); .append(1); (1)
`)

/** Templates that combine each value with each operator, filter, test and method: thousands of them. */
export function combinations(): string[] {
  return VALUES.flatMap((value) => [
    `{{ ${value} }} {{ [${value}] }}`,
    `{% if ${value} %}y{% endif %}{{ not ${value} }}`,
    `{% for x in ${value} %}<{{ x }}>{{ loop.length }}{% endfor %}`,
    `{% set x, y = ${value} %}{{ x }}{{ y }}`,
    ...[
      `-${value}`,
      `{${value}: 1}`,
      `"abc"[${value}]`,
      `{"a": 5}[${value}]`,
      `dict(${value})`,
    ].map(printed),
    ...[`"%s" % ${value}`, `"%d" % ${value}`, `"%5.1f" % ${value}`, `"a,b".split(${value})`].map(
      printed,
    ),
    ...VALUES.flatMap((other) => OPERATORS.map((sign) => printed(`${value} ${sign} ${other}`))),
    ...FILTERS.map((filter) => printed(`${value} | ${filter}`)),
    ...TESTS.map((test) => printed(`${value} is ${test}`)),
    ...PARTS.map((part) => printed(value + part)),
  ])
}

function printed(expression: string): string {
  return `{{ ${expression} }}`
}

function parts(listed: string): string[] {
  return listed.split(';').map((part) => part.trim())
}
