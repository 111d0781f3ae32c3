import { CONTROL_REFUSALS, describeApi } from '../../src/service/api/openapi.js'
import { controlOperations } from '../../src/compose/control-table.js'
import { controlExample } from './control-examples.js'
import { wordsFor, type JsonSchema } from './json-schema.js'
import { block, code, inlineYaml, linkTo, page, table } from './markdown.js'

/** The calls, by what they are about: the first part of their path. */
const GROUPS: Readonly<Record<string, readonly [title: string, intro: string]>> = {
  info: ['The emulator', 'Is it ready, and what does it run?'],
  clock: ['Time', 'See [Clocks](../explain/clocks.md).'],
  scenario: ['Scenarios and resets', 'See [Scenarios](../how-to/scenarios.md).'],
  snapshot: ['Snapshots', 'See [Keep state](../how-to/keep-state.md).'],
  models: ['Models', 'Create and delete models without the API of the service.'],
  jobs: ['Jobs', 'See jobs from inside, and decide how they end. See [Jobs](../explain/jobs.md).'],
  faults: ['Faults', 'See [Failures by name](../how-to/faults.md).'],
  webhooks: [
    'Webhooks',
    'Secrets, webhooks, automations, events and deliveries. See [Webhooks](../how-to/webhooks.md).',
  ],
  sink: ['The webhook sink', 'See [The webhook sink](../how-to/sink.md).'],
  requests: ['Requests', 'What your code sent. See [Test your code](../how-to/testing.md).'],
  trace: [
    'Evidence',
    'What happened, what is still pending, and which mistakes your client made. See [Client checks](checks.md).',
  ],
  bill: [
    'The bill',
    'What a run costs, and what a longer one may cost. See [The bill](../how-to/bill.md).',
  ],
  explore: [
    'Explorations',
    'Find out what your code survives, with trials that your own program runs.',
  ],
  proxies: [
    'Proxies',
    'Lead a program to a world, although it calls the real hosts. See [Clients](../how-to/clients.md#a-program-that-names-no-address).',
  ],
  mcp: [
    'Coding assistants',
    'The messages of MCP. See [Coding assistants](../how-to/assistants.md) and its [tools](mcp.md).',
  ],
  stream: ['Stream', 'Everything as it happens, for dashboards.'],
}

/** The first parts of paths that belong to the group of another one. */
const SAME: Readonly<Record<string, string>> = {
  ready: 'info',
  'openapi.json': 'info',
  openapi: 'info',
  scenarios: 'scenario',
  reset: 'scenario',
  secrets: 'webhooks',
  automations: 'webhooks',
  trigger: 'webhooks',
  deliveries: 'webhooks',
  pending: 'trace',
  'client-checks': 'trace',
  timeline: 'trace',
  report: 'trace',
  har: 'trace',
  schedule: 'clock',
  agenda: 'clock',
  worlds: 'info',
  'called-hosts': 'proxies',
}

interface Content {
  content: Readonly<Record<string, { schema: JsonSchema }>>
}

interface Described {
  parameters?: readonly { name: string; in: string; required?: boolean; schema: JsonSchema }[]
  requestBody?: { content: Readonly<Record<string, { schema: JsonSchema }>> }
  responses?: Readonly<Record<string, Content | undefined>>
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

type Row = (typeof controlOperations)[number]

/** Describes each call of the control API, with what it takes and answers, and an example. */
export async function controlPage(): Promise<string> {
  const document = describeApi(controlOperations, 'control') as unknown as Document
  const objects = new Objects(document.components.schemas)
  const groups = new Map<string, Row[]>()
  for (const row of controlOperations) {
    groups.set(groupOf(row), [...(groups.get(groupOf(row)) ?? []), row])
  }
  const sections: string[] = []
  for (const [group, rows] of groups) {
    const [title, intro] = GROUPS[group] ?? [group, '']
    sections.push(`## ${title}`, intro)
    for (const row of rows) {
      const described = document.paths[row.path]?.[row.method.toLowerCase()] ?? {}
      sections.push(...(await sectionFor(row, described, objects)))
    }
  }
  return page(
    'Control API',
    'Control the emulator from any language: move time, fail jobs, add faults, and read what your code sent. [Control it from another process](../how-to/control.md) explains how to use it.',
    block('sh', 'npx svtrain-emulator --clock manual'),
    block('sh', `curl -X POST http://127.0.0.1:4600/_emulator/clock/advance -d '{"by": "10m"}'`),
    ...rules(),
    '## All calls',
    table(
      ['call', 'what it does'],
      controlOperations.map((row) => [
        linkTo(headingOf(row), code(headingOf(row))),
        `${row.summary}.`,
      ]),
    ),
    ...sections,
    '## Objects',
    'The objects that calls take and return.',
    ...objects.sections(),
  )
}

function rules(): string[] {
  return [
    'These rules hold for every call:',
    [
      '- The calls are below `/_emulator` on the training port. They need no API key, meet no fault, and are not recorded as requests.',
      '- Calls that change something need the control token as `Authorization: Bearer <token>`, if the emulator has one. See [Security](../explain/security.md).',
      '- A body is JSON. Its `Content-Type` does not matter. A call without a body gets the defaults.',
      '- Names are strict: an unknown key, parameter or value gets a 400 that names it and suggests the nearest one.',
      '- Times are ISO 8601 on the clock of the emulator.',
      '- With `--isolate api-key`, the header `Svtrain-World` holds the API key of the world that a call is about.',
    ].join('\n'),
    'An error is `{"detail": "…"}` with one of these statuses:',
    table(
      ['status', 'meaning'],
      Object.entries(CONTROL_REFUSALS).map(([status, meaning]) => [code(status), meaning]),
    ),
    'Responses below are shortened: `…` stands for what is left out.',
  ]
}

function groupOf({ path }: Row): string {
  const [, , first = ''] = path.split('/')
  return SAME[first] ?? first
}

function headingOf({ method, path }: Row): string {
  return `${method} ${path}`
}

async function sectionFor(row: Row, described: Described, objects: Objects): Promise<string[]> {
  const { parameters = [], requestBody, responses = {} } = described
  const query = parameters.map(({ name, in: place, required, schema }) => [
    code(name),
    place,
    objects.wordsFor(schema),
    required ? 'required' : defaultOf(schema),
    schema.description ?? MEANINGS[name] ?? '',
  ])
  const body = requestBody?.content['application/json']?.schema
  const fields = body && row.id !== 'restoreSnapshot' ? objects.fieldsOf(body) : []
  const answer = Object.values(responses['200']?.content ?? {}).at(0)?.schema
  const returned = answer ? objects.wordsFor(answer) : 'any value'
  const statuses = Object.keys(responses).filter((status) => status !== '200')
  const { curl, response } = await controlExample(row)
  return [
    `### ${headingOf(row)}`,
    `${row.summary}.${INTROS[row.id] ?? ''}`,
    table(
      ['field', 'in', 'type', 'default', 'meaning'],
      [...query, ...fields.map(([name = '', ...others]) => [name, 'body', ...others])],
    ),
    [
      returned === 'any value' || returned === 'map' ? '' : `Returns ${returned}.`,
      statuses.length > 0 ? `Errors: ${statuses.map(code).join(', ')}.` : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    block('console', `$ ${curl}\n${response}`),
  ]
}

/** What is worth saying about a call besides its summary. */
const INTROS: Readonly<Record<string, string | undefined>> = {
  addFault: ' The body is a fault as in [scenarios](scenario.md#faults).',
  addWebhook: ' The body is a webhook as in [scenarios](scenario.md#webhooks).',
  addAutomation: ' The body is an automation as in [scenarios](scenario.md#automations).',
  restoreSnapshot: ' The body is what `GET /snapshot` returned.',
}

/** Parameters of paths. */
const MEANINGS: Readonly<Record<string, string | undefined>> = {
  job_id: 'The id of a job.',
  fault_id: 'The id of a fault.',
  delivery_id: 'The id of a delivery.',
  name: 'The name.',
  model_id: 'The id or name of a model.',
  step: 'The step of a checkpoint.',
}

function defaultOf(schema: JsonSchema): string {
  return 'default' in schema && schema.default !== null ? code(inlineYaml(schema.default)) : ''
}

/** The objects that have their own sections. */
class Objects {
  readonly #schemas: Readonly<Record<string, JsonSchema | undefined>>
  readonly #used = new Set<string>()

  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.#schemas = schemas
  }

  wordsFor(schema: JsonSchema): string {
    const words = wordsFor(withoutNull(schema), ({ $ref }) => {
      const name = $ref?.split('/').at(-1)
      if (name === undefined) return undefined
      this.#used.add(name)
      return linkTo(`${name} object`, name)
    })
    return isNullable(schema) ? `${words}, or \`null\`` : words
  }

  /** Returns rows: name, type, default, meaning. */
  fieldsOf(schema: JsonSchema): string[][] {
    const name = schema.$ref?.split('/').at(-1)
    const { properties = {}, required = [] } = name === undefined ? schema : this.#schemas[name]!
    return Object.entries(properties).map(([key, value]) => [
      code(key),
      this.wordsFor(value),
      required.includes(key) ? 'required' : defaultOf(value),
      value.description ?? '',
    ])
  }

  sections(): string[] {
    const sections = new Map<string, string[]>()
    // An object may refer to another one, which then gets its section, too.
    for (const name of this.#used) {
      const rows = this.fieldsOf({ $ref: name }).map(([key = '', type = '', , meaning = '']) => {
        return [key, type, meaning]
      })
      sections.set(name, [`### ${name} object`, table(['field', 'type', 'meaning'], rows)])
    }
    return [...sections]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, texts]) => texts)
  }
}

function isNullable({ anyOf = [] }: JsonSchema): boolean {
  return anyOf.some(({ type }) => type === 'null')
}

function withoutNull(schema: JsonSchema): JsonSchema {
  if (!isNullable(schema)) return schema
  const left = schema.anyOf!.filter(({ type }) => type !== 'null')
  return left.length === 1 ? left.at(0)! : { ...schema, anyOf: left }
}
