import { createEmulator, type Emulator } from '../../src/index.js'
import type { FrameworkVersion } from '../../src/service/contract/framework.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../src/service/contract/versions.js'
import { report } from './report.js'
import { answerOf, compare, type Compared } from './requests/compare.js'
import { answersOfFramework } from './requests/framework.js'
import { UUID } from './requests/odd-values.js'
import { JSON_TYPE, type GeneratedRequest } from './requests/recipe.js'

/** How both read arrays in messages. The first one checks most, so the table of the documentation shows it. */
export type Reading = 'checked' | 'clients' | 'unchecked' | 'any'

export interface Comparison {
  readonly requests: readonly GeneratedRequest[]
  readonly reading?: Reading
  readonly contract?: ContractVersion
  /** The release of the framework that the Python has. */
  readonly framework?: FrameworkVersion
}

/** Asks the framework and the emulator the same. */
export async function compareAll(
  command: string,
  { requests, reading = 'checked', contract = NEWEST_CONTRACT, framework }: Comparison,
): Promise<Compared[]> {
  // The documented interface needs no key here. The emulator needs one by default.
  await using emulator = createEmulator({
    clock: 'manual',
    contract,
    scenario: {
      name: 'as-documented',
      auth: { open: ['health', 'system-check'] },
      message_arrays: reading,
      ...(framework && { framework }),
    },
  })
  const model = await modelWithoutCheckpoints(emulator)
  const asked = requests.map((request) => {
    return { ...request, path: request.path.replace(`/${UUID}/`, `/${model}/`) }
  })
  const answers = await answersOfFramework(command, {
    name: `${reading}-${framework ?? contract}`,
    requests: asked,
    variables: { SVTRAIN_MESSAGE_ARRAYS: reading, SVTRAIN_CONTRACT: contract },
  })
  const compared: Compared[] = []
  for (const [index, request] of asked.entries()) {
    const theirs = answers[index]!
    compared.push(compare({ request, theirs, ours: await answerOf(emulator, request) }))
  }
  return compared
}

/** The id of a new model. The framework program has no checkpoints either. */
async function modelWithoutCheckpoints(emulator: Emulator): Promise<string> {
  const ask = { category: '', headers: JSON_TYPE }
  const created = await answerOf(emulator, {
    ...ask,
    method: 'POST',
    path: '/v1/preview/models',
    body: '{"project":"known","name":"model","base_model":"b"}',
  })
  const { id } = JSON.parse(created.body) as { id: string }
  const path = `/v1/preview/models/${id}/checkpoints`
  await answerOf(emulator, { ...ask, method: 'DELETE', path, body: '{"steps":[0]}' })
  return id
}

export function differentIn(compared: readonly Compared[]): Compared[] {
  return compared.filter(({ isSame }) => !isSame)
}

/** What is wrong unless 99.5 % of the answers are the same, and the others differ for known reasons. */
export function problemsIn(compared: readonly Compared[]): unknown[] {
  const others = differentIn(compared)
  const unknown = others.filter(({ reason }) => reason === undefined).slice(0, 5)
  const share = 1 - others.length / compared.length
  return share >= 0.995 ? unknown : [...unknown, `only ${share} of the answers are the same`]
}

/** Reports rows of comparisons. Returns the lines that the documentation does not show. */
export function reportCompared(
  name: string,
  rows: readonly { check: string; compared: readonly Compared[]; reasons?: string }[],
): string[] {
  const reported = rows.map(({ check, compared, reasons }) => {
    const others = differentIn(compared)
    const found = [...new Set(others.map(({ reason }) => reason))].join('; ')
    const cases = compared.length
    const shown = others.length === 0 ? '' : (reasons ?? found)
    return { check, cases, same: cases - others.length, reasons: shown }
  })
  return report(name, reported)
}
