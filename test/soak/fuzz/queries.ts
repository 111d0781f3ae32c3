import { Kind, OperationTypeNode, parse } from 'graphql'
import type { Emulator } from '../../../src/index.js'
import { basic, besideTraining } from '../../support/graphql.js'
import { aRun, aVersion } from '../../support/platform-records.js'
import { DocumentDraw, type Document } from './documents.js'
import type { InputDraw } from './draws.js'
import type { StartKind } from './kind.js'
import { assertSame, emptyEmulator, stateOf } from './look.js'
import { edited, jsonOf, mutated } from './mutations.js'

/** Whether a query that has errors may have changed something: one of its other fields, before or around them. */
function mayChange(query: unknown, errors: readonly QueryError[]): boolean {
  if (errors.some(({ path = [] }) => path.length > 1)) return true
  try {
    const { definitions } = parse(String(query))
    return definitions.some((each) => {
      if (each.kind !== Kind.OPERATION_DEFINITION || each.operation !== OperationTypeNode.MUTATION)
        return false
      const { selections } = each.selectionSet
      return selections.length > 1 || selections[0]!.kind !== Kind.FIELD
    })
  } catch {
    return false
  }
}

/** Puts a run and an artifact into a fresh world. Returns the ids and names that queries can use. */
async function populate(emulator: Emulator): Promise<string[]> {
  emulator.reset()
  await emulator.ready()
  const platform = emulator.engine.platformWithCheckpoints()
  const run = aRun(emulator)
  const version = aVersion(emulator)
  const place = { entity: 'local-team', project: 'registry', collection: 'data' }
  const link = platform.artifacts.links.link(version, place, { user: 'ada' })
  const pending = platform.artifacts.create(
    { ...place, project: 'verse', collection: 'draft', type: 'dataset' },
    { digest: '0' },
    { user: 'ada' },
  )
  return [
    'local-team',
    'verse',
    'registry',
    'rows',
    'rows:latest',
    'data',
    'draft',
    'dataset',
    'poem',
    version.id,
    pending.id,
    version.source.id,
    link.collection.id,
    run.id,
    run.files.get('a.txt')!.id,
    'a.txt',
    'loss',
  ]
}

const MOST_IN_A_WORLD = 50

/** The statuses of refusals. Clients read the last three when they make or delete an automation. */
const STATUSES = [200, 400, 404, 409, 413]

/** Documents of GraphQL about runs and artifacts: valid, broken, deep, wide, and with cycles. */
export const startQueries: StartKind = async () => {
  const emulator = emptyEmulator()
  const known = await populate(emulator)
  const caller = { emulator, fetch: emulator.fetch }
  let before = stateOf(emulator)
  let tried = 0
  return {
    async attempt(draw) {
      if (++tried % MOST_IN_A_WORLD === 0) {
        await populate(emulator)
        before = stateOf(emulator)
      }
      const body = drawBody(draw, known)
      // There may be nothing left of it.
      const text = jsonOf(body)
      const isEdited = draw.isHit(0.03)
      const response = await emulator.fetch(besideTraining(caller, '/graphql'), {
        method: 'POST',
        headers: { authorization: basic('any-key') },
        body: isEdited ? edited(draw, text, 2) : text,
      })
      const errors = await errorsIn(response, emulator)
      const after = stateOf(emulator)
      const isAccepted = response.status === 200 && errors.length === 0
      const { query } = Object(body) as { query?: unknown }
      if (!isAccepted && !isEdited && !mayChange(query, errors)) assertSame(before, after)
      before = after
      return isAccepted ? 'accepted' : 'refused'
    },

    end: () => emulator.close(),
  }
}

/** One document or two, some of them with mutations of their words. */
function drawBody(draw: InputDraw, known: readonly string[]): unknown {
  const one = (): Document => new DocumentDraw(draw, known).body()
  const body = draw.tell(draw.isHit(0.01) ? [one(), one()] : one())
  return draw.isHit(0.15) ? inText(mutated(draw, inWords(body))) : body
}

function inWords(body: Document | Document[]): unknown {
  return Array.isArray(body) ? body.map(inWords) : { ...body, query: body.query.split(' ') }
}

/** Joins the words of a query. */
function inText(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(inText)
  const { query } = Object(body) as { query?: unknown }
  return Array.isArray(query) ? { ...(body as object), query: query.join(' ') } : body
}

interface QueryError {
  readonly message: string
  readonly path?: readonly unknown[]
}

/** The errors of an answer. Fails if one of them is a mistake of the emulator. */
async function errorsIn(response: Response, { journal }: Emulator): Promise<readonly QueryError[]> {
  const answer = await response.text()
  const { errors = [] } = JSON.parse(answer) as { errors?: QueryError[] }
  const hasFailed = errors.some(({ message }) => message === 'Internal Server Error')
  if (!hasFailed && STATUSES.includes(response.status)) return errors
  const note = journal.entries.findLast((each) => each.kind === 'note')
  const call = journal.entries.findLast((each) => each.kind === 'request')
  const stack = (call?.fault as Error | undefined)?.stack ?? note?.stack
  throw new Error(`A query is answered with ${response.status}: ${answer.slice(0, 500)} ${stack}`)
}
