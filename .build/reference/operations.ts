import { describeApi } from '../../src/service/api/openapi.js'
import type { Operation } from '../../src/service/api/operation.js'
import { variationsOf, type VariationKind } from '../../src/service/contract/variations.js'
import { operations } from '../../src/compose/control-table.js'
import { wordsFor, type JsonSchema } from './json-schema.js'
import { block, code, inlineYaml, linkTo, page, table } from './markdown.js'

/** What each operation does, in words for its callers. The page has a section for each of them. */
const effects: Readonly<Record<string, string | undefined>> = {
  createChatCompletionSlashed:
    'The same as without the slash. Some clients add it to their base URL.',
  createChatCompletion:
    'Answers a chat on the training host, as the inference host does. [Chat](../how-to/chat.md) lists the fields that have an effect.',
  createModel:
    'Creates a model with a checkpoint of step 0. A name that exists gets 409, or the model as it is with `return_existing: true`. In `happy-path`, [some names](scenarios.md#magic-model-names) decide what the jobs of the model do.',
  deleteModel:
    'Deletes a model and its checkpoints. Its unfinished jobs end with `training_failed`, and stay readable.',
  logTrajectories:
    'Adds the mean reward and the metrics of trajectories to the latest checkpoint, as `<split>/<name>`. It answers `null`.',
  listBaseModels: 'Lists the base models of the scenario.',
  listCheckpoints: 'Lists the checkpoints of a model, page by page.',
  deleteCheckpoints:
    'Deletes checkpoints by their steps. The next job adds the step after the latest one that is left.',
  createRlTrainingJob:
    'Creates a reinforcement learning job from groups of trajectories. Jobs of one model run one after the other. See [Jobs](../explain/jobs.md).',
  createSftTrainingJob:
    'Creates a supervised fine-tuning job. A path or a `file:` URL is read, an http(s) URL fetched. The same model and data again return the existing job, unless it failed.',
  getTrainingJob: 'Returns a job with its status.',
  listTrainingJobEvents:
    'Lists the events of a job, page by page. Poll it with `after` to follow a job.',
  healthCheck: 'Says that the service runs.',
  systemCheck:
    'Says whether the parts of the service work. [`system_check`](scenario.md#system_check) of a scenario decides it.',
  describeTrainingApi: 'Returns the OpenAPI document of the training API.',
  createInferenceChatCompletion:
    'Answers a chat of a base model, a trained model or an artifact. [Chat](../how-to/chat.md) lists the fields that have an effect.',
  listServedModels: 'Lists the models that chats can name.',
  describeInferenceApi: 'Returns the OpenAPI document of the inference API.',
  platformGraphql:
    'Answers queries and mutations about runs and artifacts, in GraphQL. The name of the query comes after the id, as in `platformGraphql.CommitArtifact`. See [Clients](../how-to/clients.md#wandb).',
  dropTelemetry: 'Takes what the SDK reports about itself, and drops it.',
  streamRun: 'Takes metrics, output and the state of a run.',
  uploadFile:
    'Stores the content of a file of a run or of an artifact. The answer of a query has its address.',
  downloadFile: 'Sends a file of a run. The answer of a query has its address.',
  downloadArtifactFile: 'Sends a file of an artifact. The answer of a query has its address.',
  downloadArtifactEntry:
    'Sends a file of an artifact by its MD5. The SDK reads `artifact.get_entry(path).download()` here, and files whose address failed.',
}

interface Described {
  parameters?: readonly { name: string; in: string; required?: boolean; schema: JsonSchema }[]
  requestBody?: { content: Readonly<Record<string, { schema: JsonSchema }>> }
  responses?: Readonly<Record<string, unknown>>
}

interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

/** Describes the operations of the emulated APIs. */
export function operationsPage(): string {
  const served = operations.filter(({ host }) => host !== 'control')
  const surplus = Object.keys(effects).filter((id) => !served.some((row) => row.id === id))
  if (surplus.length > 0) throw new Error(`There are no operations ${surplus.join(', ')}.`)
  const training = served.filter(({ host }) => host === 'training')
  const inference = served.filter(({ host }) => host === 'inference')
  return page(
    'Operations',
    'These are the operations of the emulated service. The id names an operation in [faults](scenario.md#faultsmatch), in `emulator.requests`, in `toHaveReceivedRequest` and in the [control API](control.md).',
    block('sh', 'npx svtrain-emulator'),
    block(
      'sh',
      'curl http://127.0.0.1:4600/_emulator/openapi/training.json\ncurl "http://127.0.0.1:4600/_emulator/openapi/inference.json?contract=2026-01"',
    ),
    'Both return an OpenAPI document, with the schemas of all bodies. `contract` chooses [the version of the contract](../explain/contract.md#choose-the-version-of-the-contract).',
    '## All operations',
    table(
      ['id', 'host', 'operation'],
      served.map(({ id, host, method, path }) => [
        linkTo(id, code(id)),
        host,
        code(`${method} ${path}`),
      ]),
    ),
    [
      '- **Keys.** Every operation needs an API key as `Authorization: Bearer <key>`, unless its section says otherwise. By default any key works.',
      '- **Base path.** `--base-path` puts a path in front of `/v1`.',
      '- **Sizes.** A body of more than 256 MiB gets 413.',
      '- **Pages.** A list has `data`, `has_more`, and the ids of its first and last item. Pass the last id as `after` to get the next page. An unknown cursor gets 404.',
      '- **Answers.** A field that may be absent or null is optional in the contract, or the service does not document it. Any object may have unknown fields. [Explorations](../how-to/explore.md#what-is-tried) try all of this, and the fault `edit` does it to one field.',
      '- **Errors.** [Error codes](errors.md#errors-of-the-emulated-api) shows their form. Besides the statuses below, every call can get 405 for a wrong method, and what a fault says.',
    ].join('\n'),
    '## Training API',
    ...sectionsFor(training, describeApi(operations, 'training')),
    '## Inference API',
    ...sectionsFor(inference, describeApi(operations, 'inference')),
  )
}

function sectionsFor(rows: readonly Operation[], described: unknown): string[] {
  const { paths, components } = described as Document
  return rows.flatMap((row) => {
    const { id, method, path, auth } = row
    const effect = effects[id]
    if (effect === undefined) throw new Error(`.build/reference/operations.ts misses ${id}.`)
    const {
      parameters = [],
      requestBody,
      responses = {},
    } = paths[path]?.[method.toLowerCase()] ?? {}
    const statuses = Object.keys(responses).filter(
      (status) => !['200', '405', '429'].includes(status),
    )
    const fields = parameters.map(({ name, in: place, required, schema }) => {
      return [code(name), place, wordsFor(schema), required ? 'required' : shownDefault(schema)]
    })
    const body = requestBody?.content['application/json']?.schema
    return [
      `### ${id}`,
      `\`${method} ${path}\``,
      effect,
      ACCESS[auth] ?? '',
      table(
        ['field', 'in', 'type', 'default'],
        [...fields, ...(body ? bodyFields(body, components.schemas) : [])],
      ),
      statuses.length > 0 ? `Errors: ${statuses.map(code).join(', ')}.` : '',
      variationsText(row),
    ]
  })
}

/** Says which fields of an answer may differ. Any object may have unknown fields. */
function variationsText({ response }: Operation): string {
  const variations = variationsOf(response)
  const named = (kind: VariationKind): string =>
    variations.flatMap((each) => (each.kind === kind ? code(each.path) : [])).join(', ')
  const parts = [
    ['may be absent', named('absent')],
    ['may be null', named('null')],
    ['may be anything, or absent', named('any')],
  ].flatMap(([may, paths]) => (paths === '' ? [] : `${paths} ${may}`))
  return parts.length === 0 ? '' : `In an answer, ${parts.join('; ')}.`
}

const ACCESS: Readonly<Record<string, string | undefined>> = {
  open: 'It needs no key.',
  platform: 'The key may also be the password of `Authorization: Basic`, with any name.',
  health: 'It needs a key, unless `auth.open` of the scenario lists `health`.',
  'system-check': 'It needs a key, unless `auth.open` of the scenario lists `system-check`.',
}

type Schemas = Readonly<Record<string, JsonSchema>>

function bodyFields(schema: JsonSchema, schemas: Schemas): string[][] {
  const { properties = {}, required = [] } = resolved(schema, schemas)
  return Object.entries(properties).map(([name, value]) => [
    code(name),
    'body',
    wordsFor(value, ({ $ref }) => ($ref === undefined ? undefined : wordsForObject($ref, schemas))),
    required.includes(name) ? 'required' : shownDefault(value),
  ])
}

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? {})
}

/** The OpenAPI document has the details of objects. */
function wordsForObject($ref: string, schemas: Schemas): string {
  const schema = resolved({ $ref }, schemas)
  return schema.properties ? 'map' : wordsFor(schema, (part) => (part.$ref ? 'map' : undefined))
}

function shownDefault(schema: JsonSchema): string {
  return 'default' in schema ? code(inlineYaml(schema.default)) : ''
}
