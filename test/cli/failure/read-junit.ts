export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  /** The text directly inside. */
  text: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

/** Reads XML without comments and CDATA, as strictly as XML 1.0 asks. */
export function parseXml(xml: string): XmlElement {
  // oxlint-disable-next-line no-control-regex -- XML does not allow them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml))
    throw new Error('control character')
  if (Buffer.from(xml, 'utf8').toString('utf8') !== xml) throw new Error('half of a surrogate pair')
  const [declaration = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(xml) ?? []
  if (declaration === '') throw new Error('no declaration')
  const stack: XmlElement[] = [{ name: '', attributes: {}, children: [], text: '' }]
  const token = /<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y
  token.lastIndex = declaration.length
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const found = token.exec(xml)
    if (!found) throw new Error(`not XML: ${xml.slice(at, at + 80)}`)
    const [, closes, name, attributes = '', isEmpty, text] = found
    const parent = stack.at(-1)!
    if (text !== undefined) parent.text += unescaped(text)
    else if (closes) {
      if (stack.pop()!.name !== name) throw new Error(`</${name}> closes another element`)
    } else {
      const element = { name: name!, attributes: attributesIn(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!isEmpty) stack.push(element)
    }
  }
  const [document] = stack
  if (stack.length > 1 || document!.children.length !== 1) throw new Error('not one root element')
  return document!.children[0]!
}

function attributesIn(text: string): Record<string, string> {
  const found = [...text.matchAll(/([\w.-]+)="([^"]*)"/g)]
  const names = found.map(([, name]) => name)
  if (new Set(names).size < names.length) throw new Error('an attribute twice')
  return Object.fromEntries(found.map(([, name, value]) => [name!, unescaped(value!)]))
}

function unescaped(text: string): string {
  return text.replaceAll(/&(#?\w*);?/g, (whole, name: string) => {
    const code = /^#(\d+)$/.exec(name)?.[1]
    const character = code === undefined ? ENTITIES[name] : String.fromCodePoint(Number(code))
    if (character === undefined || !whole.endsWith(';')) throw new Error(`bad entity ${whole}`)
    return character
  })
}

/** What CI systems accept: elements, the attributes that they need, and those that they know. */
const schema: Readonly<
  Record<
    string,
    { children: readonly string[]; needs: readonly string[]; knows?: readonly string[] }
  >
> = {
  testsuites: {
    children: ['testsuite'],
    needs: [],
    knows: ['name', 'tests', 'failures', 'errors', 'time'],
  },
  testsuite: {
    children: ['properties', 'testcase', 'system-out', 'system-err'],
    needs: ['name', 'tests', 'failures', 'errors', 'skipped'],
    knows: ['time'],
  },
  properties: { children: ['property'], needs: [] },
  property: { children: [], needs: ['name', 'value'] },
  testcase: {
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    needs: ['name', 'classname', 'time'],
  },
  skipped: { children: [], needs: ['message'] },
  error: { children: [], needs: ['message', 'type'] },
  failure: { children: [], needs: ['message', 'type'] },
  'system-out': { children: [], needs: [] },
  'system-err': { children: [], needs: [] },
}

/** Returns what a CI system would refuse in a report. */
export function junitProblems({ name, attributes, children }: XmlElement): string[] {
  const rules = schema[name]
  if (!rules) return [`unknown element ${name}`]
  const { needs, knows = [], children: allowed } = rules
  const order = children.map((child) => allowed.indexOf(child.name))
  return [
    ...needs
      .filter((each) => !Object.hasOwn(attributes, each))
      .map((each) => `${name} needs ${each}`),
    ...Object.keys(attributes)
      .filter((each) => ![...needs, ...knows].includes(each))
      .map((each) => `${name} has ${each}`),
    ...(order.includes(-1) ? [`${name} has a strange child`] : []),
    ...(order.some((place, at) => at > 0 && place < order[at - 1]!)
      ? [`wrong order in ${name}`]
      : []),
    ...children.flatMap(junitProblems),
  ]
}

export interface ReadCase {
  name: string
  outcome: 'passed' | 'failure' | 'error' | 'skipped'
  message: string
  text: string
  output: string
}

/** Reads a report as a CI system does: its cases, after a check of its form and its counts. */
export function readJunit(xml: string): ReadCase[] {
  const root = parseXml(xml)
  const [suite] = root.children
  const cases = suite!.children.filter(({ name }) => name === 'testcase').map(readCase)
  const count = (outcome: string): string => {
    return String(cases.filter((each) => each.outcome === outcome).length)
  }
  const { tests, failures, errors, skipped } = suite!.attributes
  const counted = [String(cases.length), count('failure'), count('error'), count('skipped')]
  const problems = junitProblems(root)
  if ([tests, failures, errors, skipped].join() !== counted.join()) problems.push('wrong counts')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return cases
}

function readCase({ attributes, children }: XmlElement): ReadCase {
  const found = children.find(({ name }) => ['skipped', 'error', 'failure'].includes(name))
  const output = children.find(({ name }) => name === 'system-out')
  return {
    name: attributes['name']!,
    outcome: (found?.name ?? 'passed') as ReadCase['outcome'],
    message: found?.attributes['message'] ?? '',
    text: found?.text ?? '',
    output: output?.text ?? '',
  }
}
