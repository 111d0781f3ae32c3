import { scenarioJsonSchema } from '../../src/service/scenario/scenario-json-schema.js'
import { branchesOf, wordsFor, type JsonSchema } from './json-schema.js'
import { block, code, inlineYaml, linkTo, page, table, yamlText } from './markdown.js'

/** The page that explains each part of a scenario. */
const EXPLAINED: Readonly<Record<string, readonly [page: string, title: string] | undefined>> = {
  clock: ['explain/clocks.md', 'Clocks'],
  auth: ['explain/security.md', 'Security'],
  base_models: ['how-to/chat.md', 'Chat'],
  models: ['how-to/scenarios.md', 'Scenarios'],
  rl: ['explain/jobs.md', 'Jobs'],
  sft: ['explain/jobs.md', 'Jobs'],
  jobs: ['how-to/scenarios.md', 'Scenarios'],
  chat: ['how-to/chat.md', 'Chat'],
  faults: ['how-to/faults.md', 'Failures by name'],
  webhooks: ['how-to/webhooks.md', 'Webhooks'],
  automations: ['how-to/webhooks.md', 'Webhooks'],
  timeline: ['how-to/scenarios.md', 'Scenarios'],
  play: ['how-to/scenarios.md', 'Scenarios'],
}

/** An example that is longer does not fit into a cell. */
const LONGEST_EXAMPLE = 60

/** Lists every key of a scenario with its type, default, meaning and an example. */
export function scenarioPage(): string {
  const schema = scenarioJsonSchema() as JsonSchema
  const types = new NamedTypes()
  const parts = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const sections = new Sections(types)
    sections.add(value, key, [])
    if (sections.text.length === 0) return []
    return [`## \`${key}\``, ...introOf(key, value), ...sections.text]
  })
  const keys = new Sections(types)
  keys.addKeys(schema, '')
  return page(
    'Keys of a scenario',
    'This page lists every key of a scenario with its type, default, meaning and an example. [Scenarios](../how-to/scenarios.md) explains how to write one.',
    'A scenario is a YAML or JSON file, or an object in code. Only `name` is required. Everything else has a default, so a scenario says only what differs:',
    block(
      'yaml',
      yamlText({
        name: 'second-job-fails',
        jobs: [
          {
            match: { ordinal: 2 },
            timeline: [
              { event: 'training_started' },
              { event: 'training_failed', error_message: 'out of memory' },
            ],
          },
        ],
      }),
    ),
    'In a path such as `jobs[].timeline[]`, `[]` means each item of a list, and `<name>` a key that you choose. A scenario in TypeScript can also have functions: see [Scenarios](../how-to/scenarios.md).',
    'Check a file, or give your editor the schema:',
    block(
      'sh',
      'npx svtrain-emulator scenarios check mine.yaml\nnpx svtrain-emulator scenarios schema > scenario.schema.json',
    ),
    '## All keys',
    ...keys.text,
    ...parts,
    '## Types',
    'Many keys have one of these types.',
    ...types.sections(),
  )
}

function introOf(key: string, value: JsonSchema): string[] {
  const explained = EXPLAINED[key]
  const more = explained ? ` [${explained[1]}](../${explained[0]}) explains it.` : ''
  return [`${value.description ?? ''}${more}`, ...longExamplesOf(key, value)]
}

/** Shows the examples that do not fit into a cell. */
function longExamplesOf(key: string, { examples = [] }: JsonSchema): string[] {
  const [first] = examples
  if (first === undefined || inlineYaml(first).length <= LONGEST_EXAMPLE) return []
  return [block('yaml', yamlText({ [key]: first }))]
}

/** The types that have names. They are described once, at the end of the page. */
class NamedTypes {
  readonly #schemas = new Map<string, JsonSchema>()

  /** Returns a link to the type of a schema. Undefined if it has no name. */
  link(schema: JsonSchema): string | undefined {
    const { title } = schema
    if (title === undefined) return undefined
    const known = this.#schemas.get(title)
    // A list of words has no keys, but the schema of the type itself has them.
    if (known?.description === undefined) this.#schemas.set(title, schema)
    return linkTo(title, title.toLowerCase())
  }

  sections(): string[] {
    const written = new Map<string, string[]>()
    // A type may use another one, which then gets its section, too.
    for (const title of this.#schemas.keys()) written.set(title, this.#section(title))
    return [...written].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, text]) => text)
  }

  #section(title: string): string[] {
    const schema = this.#schemas.get(title)!
    const { title: _own, ...plain } = schema
    const about = TYPES[title] ?? plain
    const sections = new Sections(this)
    sections.add(plain, title, [])
    const examples = (about.examples ?? []).map((example) => code(inlineYaml(example)))
    return [
      `### ${title}`,
      about.description ?? '',
      examples.length > 0 ? `For example: ${examples.join(', ')}.` : '',
      ...sections.text,
    ]
  }
}

/** Says more about a type than its schema, or about all keys instead of the first one that uses it. */
const TYPES: Readonly<Record<string, JsonSchema>> = {
  Duration: {
    description:
      'A number with a unit: `ms`, `s`, `m` or `h`. Several may follow each other. `0` needs no unit. Durations are on the clock of the emulator, unless the key says otherwise.',
    examples: ['250ms', '2s', '10m', '1h30m'],
  },
  Glob: {
    description:
      'A text with wildcards: `*` is any text, `?` any character but a slash, `[a-z]` a character of a range, `{a,b}` one of several texts. `!` in front means everything else. A list of globs matches if one of them matches.',
    examples: ['poet*', '*-8b-instruct', '{poet,critic}', '!test-*'],
  },
  Calls: {
    description: 'Which calls are meant, counted from 1: a number, a list of numbers, or a range.',
    examples: [1, [1, 3], { from: 2, every: 2 }],
  },
  Curve: {
    description:
      'A value at each gradient step: a number, which stays the same, or one of the curves below.',
    examples: [0.5, { curve: 'exponential', from: 2, to: 0.3, noise: 0.05 }],
  },
  Answer: {
    description: 'An answer to a chat: a text, a message, or an error.',
    examples: ['It is sunny.', { error: 429, retry_after: '2s' }],
  },
  Pace: {
    description: 'How fast answers arrive, on the clock of the emulator.',
    examples: [{ first_token: '300ms', tokens_per_second: 50 }],
  },
  'Text match': {
    description: 'A part of a text, the whole text, or a regular expression.',
    examples: ['weather', { is: 'Hello!' }, { matches: '(?i)^hello' }],
  },
}

/** The sections of one part of a scenario. Types with names are only linked. */
class Sections {
  readonly text: string[] = []
  readonly #types: NamedTypes

  constructor(types: NamedTypes) {
    this.#types = types
  }

  /**
   * Adds what is inside a schema.
   *
   * @param above What stands below the heading of `path`. Empty: the heading exists.
   */
  add(schema: JsonSchema, path: string, above: readonly string[]): void {
    const { items, additionalProperties: values } = schema
    if (this.#types.link(schema) !== undefined) return
    if (schema.properties) this.#addMap(schema, path, above)
    else if (items) this.add(items, `${path}[]`, this.#below(`${path}[]`, items))
    else if (typeof values === 'object') {
      this.add(values, `${path}.<name>`, this.#below(`${path}.<name>`, values))
    } else this.#addUnion(branchesOf(schema), path, above)
  }

  /** Adds the table of keys, without what is inside them. */
  addKeys({ properties = {}, required = [] }: JsonSchema, path: string): void {
    const entries = Object.entries(properties).filter(([, { const: only }]) => only === undefined)
    const rows = entries.map(([key, value]) => {
      const { meaning, otherwise } = readDescription(value)
      const isRequired = required.includes(key) && !('default' in value)
      const shown = 'default' in value ? code(inlineYaml(value.default)) : otherwise
      return [
        code(key),
        this.#wordsFor(value, path === '' ? key : `${path}.${key}`),
        isRequired ? 'required' : shown,
        meaning,
        examplesIn(key, value, path),
      ]
    })
    this.text.push(table(['key', 'type', 'default', 'meaning', 'example'], rows))
    for (const [key, value] of entries) {
      const { values } = readDescription(value)
      if (values.length === 0) continue
      const meanings = values.map(([name, meaning]) => [code(name), meaning])
      this.text.push(`The values of \`${key}\`:`, table(['value', 'meaning'], meanings))
    }
  }

  #below(path: string, schema: JsonSchema): string[] {
    return [`### \`${path}\``, readDescription(schema).meaning]
  }

  #addMap(schema: JsonSchema, path: string, above: readonly string[]): void {
    const { properties = {} } = schema
    if (Object.keys(properties).length === 0) return
    this.text.push(...above)
    this.addKeys(schema, path)
    for (const [key, value] of Object.entries(properties)) {
      const place = `${path}.${key}`
      this.add(value, place, [...this.#below(place, value), ...longExamplesOf(key, value)])
    }
  }

  #addUnion(branches: readonly JsonSchema[], path: string, above: readonly string[]): void {
    const kinds = branches.flatMap((branch) => {
      const kind = kindOf(branch)
      return kind ? [{ ...kind, branch }] : []
    })
    if (kinds.length > 1) this.#addKinds(kinds, path, above)
    // A list of the same as the branch before it has nothing new.
    const others = branches.filter(({ items }, index) => index === 0 || items === undefined)
    const maps = others.filter((branch) => {
      return !kindOf(branch) && hasKeys(branch) && this.#types.link(branch) === undefined
    })
    if (maps.length === 0) {
      for (const branch of others.filter((each) => !kindOf(each))) this.add(branch, path, above)
      return
    }
    this.text.push(...above)
    for (const branch of maps) {
      if (maps.length > 1) this.text.push(formOf(branch))
      this.#addMap(branch, path, [])
    }
    for (const branch of others) if (!hasKeys(branch) && !kindOf(branch)) this.add(branch, path, [])
  }

  /** Adds a table of the kinds, the keys that all of them have, and the other keys of each kind. */
  #addKinds(kinds: readonly Kind[], path: string, above: readonly string[]): void {
    const [{ key, branch: example }] = kinds as readonly [Kind]
    const shared = sharedBy(kinds.map(({ branch }) => branch))
    this.text.push(
      ...above,
      `\`${key}\` is required. It selects one of these:`,
      table(
        [code(key), 'meaning', 'example'],
        kinds.map((kind) => {
          const { value, branch } = kind
          const hasOwn = Object.keys(withoutKeys(branch, shared).properties ?? {}).length > 1
          const name = hasOwn ? linkTo(headingOf(kind), code(value)) : code(value)
          return [name, branch.description ?? '', code(inlineYaml(exampleOf(branch)))]
        }),
      ),
    )
    if (Object.keys(shared).length > 0) {
      this.text.push(`All of them have these keys, too:`)
      this.#addMap({ properties: shared, required: requiredIn(example) }, path, [])
    }
    for (const kind of kinds) {
      const own = withoutKeys(kind.branch, shared)
      if (Object.keys(own.properties ?? {}).length < 2) continue
      const intro = [`#### ${headingOf(kind)}`, kind.branch.description ?? '']
      this.#addMap(own, path, intro)
    }
  }

  #wordsFor(schema: JsonSchema, path: string): string {
    return wordsFor(schema, (part) => {
      const link = this.#types.link(part)
      if (link !== undefined) return link
      const isMap = part.properties !== undefined || kindOf(branchesOf(part)[0] ?? {})
      if (!isMap) return undefined
      return this.#linkToMap(schema, part, path)
    })
  }

  /** Each map has a section at the path that leads to it. */
  #linkToMap(schema: JsonSchema, part: JsonSchema, path: string): string {
    const steps = stepsTo(schema, part) ?? ''
    return linkTo(path + steps, 'map')
  }
}

interface Kind {
  key: string
  value: string
  branch: JsonSchema
}

/** The key that tells the branches of a union apart, with its value: `event`, `training_started`. */
function kindOf(branch: JsonSchema): Kind | undefined {
  const { properties = {} } = branch
  const found = Object.entries(properties).find(([, { const: only }]) => only !== undefined)
  return found && { key: found[0], value: String(found[1].const), branch }
}

function headingOf({ key, value }: Pick<Kind, 'key' | 'value'>): string {
  return `${key}: ${value}`
}

function hasKeys({ properties }: JsonSchema): boolean {
  return properties !== undefined
}

/** Introduces one of several maps that a key accepts. */
function formOf({ description = '', examples = [] }: JsonSchema): string {
  const [first] = examples
  const example = first === undefined ? '' : ` For example: ${code(inlineYaml(first))}.`
  return `**${description.replace(/[.:].*$/, '')}** is a map:${example}`
}

/** Returns how the path of a part goes on from the key: `[]`, `.<name>`. */
function stepsTo(schema: JsonSchema, part: JsonSchema): string | undefined {
  if (schema === part) return ''
  const { items, additionalProperties: values } = schema
  const inside = items ?? (typeof values === 'object' ? values : undefined)
  if (inside) {
    const rest = stepsTo(inside, part)
    if (rest !== undefined) return (items ? '[]' : '.<name>') + rest
  }
  for (const branch of branchesOf(schema)) {
    const rest = stepsTo(branch, part)
    if (rest !== undefined) return rest
  }
  return undefined
}

/** The properties that are the same in all branches. */
function sharedBy(branches: readonly JsonSchema[]): Record<string, JsonSchema> {
  const [first = {}, ...others] = branches.map(({ properties = {} }) => properties)
  const entries = Object.entries(first).filter(([key, value]) => {
    return others.every((other) => JSON.stringify(other[key]) === JSON.stringify(value))
  })
  return Object.fromEntries(entries)
}

function withoutKeys(schema: JsonSchema, keys: Readonly<Record<string, unknown>>): JsonSchema {
  const entries = Object.entries(schema.properties ?? {}).filter(([key]) => !(key in keys))
  return { ...schema, properties: Object.fromEntries(entries) }
}

/** The keys without a default that must be there. */
function requiredIn({ required = [], properties = {} }: JsonSchema): string[] {
  return required.filter((key) => !('default' in (properties[key] ?? {})))
}

/** An example of a kind: its own one, or one of its required keys. */
export function exampleOf(branch: JsonSchema): unknown {
  const [own] = branch.examples ?? []
  if (own !== undefined) return own
  const { properties = {} } = branch
  const entries = requiredIn(branch).map((key) => {
    const { const: only, examples = [] } = properties[key] ?? {}
    return [key, only ?? examples[0]]
  })
  return Object.fromEntries(entries)
}

function examplesIn(key: string, { examples = [] }: JsonSchema, path: string): string {
  const texts = examples.map((example) => inlineYaml(example))
  const short = texts.filter((text) => text.length <= LONGEST_EXAMPLE)
  if (short.length > 0 || texts.length === 0) return short.map((text) => code(text)).join(', ')
  const [long = ''] = texts
  // A key of the scenario that is a map or a list has its own section, which shows the example.
  return path === '' && !long.startsWith('.') ? linkTo(key, 'below') : code(long)
}

interface Read {
  meaning: string
  otherwise: string
  values: [name: string, meaning: string][]
}

/** Takes the default and the meanings of values out of a description. */
function readDescription(schema: JsonSchema): Read {
  const { title, description: whole = '' } = schema
  // The example has its own column.
  const description = title === 'Duration' ? whole.replace(/,? such as \w+(?=[,.])/, '') : whole
  const [, otherwise = ''] =
    /(?:^|\s)Default: ((?:[^.]|\.(?=\S))*)\.(?=\s|$)/.exec(description) ?? []
  const text = description.replace(`Default: ${otherwise}.`, '')
  const names = namesIn(schema)
  const values: [string, string][] = []
  const sentences: string[] = []
  // The meaning of a value goes on until that of the next one.
  for (const sentence of text.split(/(?<=[.!?])\s+/)) {
    const [, name = '', meaning = ''] = /^([\w.-]+): (.*)$/s.exec(sentence) ?? []
    if (names.includes(name)) values.push([name, upperFirst(meaning)])
    else if (values.length > 0 && sentence !== '' && !sentence.startsWith('{')) {
      values.at(-1)![1] += ` ${sentence}`
    } else sentences.push(sentence)
  }
  return { meaning: sentences.join(' ').trim(), otherwise: shownDefault(otherwise), values }
}

function shownDefault(otherwise: string): string {
  return /^(?:\d+|true|false)$/.test(otherwise) ? code(otherwise) : otherwise
}

function namesIn({ enum: values = [], ...schema }: JsonSchema): string[] {
  return [...values.map(String), ...branchesOf(schema).flatMap((branch) => namesIn(branch))]
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
