import { follow } from './follow.js'
import type { Line } from './line.js'
import { rest, type Part, type Player } from './player.js'
import { mayStick } from './scenarios.js'
import type { Stamp, World } from './world.js'

const NAMES = ['sim-fails', 'sim-stuck', 'sim-never-starts', 'sim-fails-before-start', 'sim-nan']
const BASE_MODEL = 'example/base-8b-instruct'

/**
 * Creates a model, trains it by reinforcement learning, checks the result, and sometimes deletes
 * it.
 */
export const trainByReinforcement: Part = (player) => train(player, player.shared)

/** The same with a separate key, in a world without faults. */
export const trainApart: Part = async (player) => {
  const { draws, ended } = player
  // Some return to an earlier world.
  const again = draws.isHit(0.2)
  const key = again ? `kept-${draws.below(20)}` : `${player.who}-${draws.below(1_000_000_000)}`
  const world = player.ownWorld(key)
  if (!again && draws.isHit(0.3)) {
    const mode = draws.oneOf(['auto', 'instant', 'real'] as const)
    await world.control.useClock(mode, { speed: 1000 })
  }
  if (!ended.aborted) await train(player, world)
}

async function train(player: Player, world: World): Promise<void> {
  const { draws, ledger, ended } = player
  const line = player.line(world)
  const common = draws.isHit(0.3)
  const name = common ? `common-${draws.below(4)}` : nameFor(player)
  const model = { project: 'soak', name, base_model: BASE_MODEL, return_existing: true }
  const registered = await line.ask('POST', '/preview/models', { body: model })
  if (registered?.status !== 200 || !registered.body?.id) return
  const modelId = registered.body.id as string
  for (let jobs = 1 + draws.below(3); jobs > 0 && !ended.aborted; jobs--) {
    const submitted = draws.isHit(0.3)
      ? await submitFile(player, line, modelId)
      : await submitGroups(player, line, modelId)
    if (submitted) await follow(player, line, submitted)
    await rest(player)
  }
  await listCheckpoints(player, line, modelId)
  if (draws.isHit(0.3)) {
    const body = { trajectory_groups: groupsFor(player), split: 'val' }
    await line.ask('POST', `/preview/models/${modelId}/log`, { body, expected: [200, 404] })
  }
  if (common || !draws.isHit(0.3)) return
  if (draws.isHit(0.5)) {
    const path = `/preview/models/${modelId}/checkpoints`
    await line.ask('DELETE', path, { body: { steps: [1] }, expected: [200, 404, 422] })
  } else {
    await line.ask('DELETE', `/preview/models/${modelId}`, {
      expected: [200, 204, 404],
      asText: true,
    })
    ledger.count('models deleted')
  }
}

function nameFor({ draws, who }: Player): string {
  const prefix = draws.isHit(0.2) ? `${draws.oneOf(NAMES)}-` : ''
  return `${prefix}${who}-${draws.below(1_000_000_000)}`
}

function groupsFor({ draws }: Player): object[] {
  const words = 'word '.repeat(1 + draws.below(200))
  const messages_and_choices = [
    { role: 'user', content: words },
    { role: 'assistant', content: words },
  ]
  const trajectory = () => ({ messages_and_choices, reward: draws.unit() })
  return Array.from({ length: draws.below(4) }, () => ({
    trajectories: Array.from({ length: 1 + draws.below(4) }, trajectory),
  }))
}

async function submitGroups(player: Player, line: Line, model_id: string) {
  const body = { model_id, trajectory_groups: groupsFor(player) }
  const answer = await line.ask('POST', '/preview/training-jobs', { body, expected: [200, 404] })
  return accepted(player, line, answer)
}

async function submitFile(player: Player, line: Line, model_id: string) {
  const { draws, receivers } = player
  const kind = draws.oneOf(['good', 'good', 'slow', 'broken', 'torn', 'missing'])
  const url = receivers.file(`${kind}-${draws.below(3)}.jsonl`)
  const body = { model_id, training_data_url: draws.isHit(0.2) ? 'artifact://data:latest' : url }
  const asked = { body, expected: [200, 400, 404] }
  const answer = await line.ask('POST', '/preview/sft-training-jobs', asked)
  return accepted(player, line, answer)
}

function accepted(
  { ledger, who }: Player,
  { world }: Line,
  answer: Awaited<ReturnType<Line['ask']>>,
): { jobId: string; stamp: Stamp } | undefined {
  const jobId = answer?.body?.id as unknown
  if (answer?.status !== 200 || typeof jobId !== 'string') return undefined
  ledger.count('jobs accepted')
  const { stamp, same, calm } = answer
  if (same && !world.address.isolated) {
    const { generation } = stamp
    const stick = !calm || mayStick(world.scenario)
    ledger.accounts.set(jobId, { world, generation, mayStick: stick, by: who, seen: new Map() })
  }
  return same ? { jobId, stamp } : undefined
}

interface Checkpoint {
  id: string
  step: number
}

async function listCheckpoints(player: Player, line: Line, modelId: string): Promise<void> {
  const { draws, ledger, who } = player
  const order = draws.oneOf(['asc', 'desc'])
  const all: Checkpoint[] = []
  for (let pages = 20; pages > 0; pages--) {
    const after = all.length === 0 ? '' : `&after=${all.at(-1)!.id}`
    const path = `/preview/models/${modelId}/checkpoints?order=${order}&limit=${1 + draws.below(5)}${after}`
    const answer = await line.ask('GET', path, { expected: [200, 404] })
    if (!answer?.calm || answer.status !== 200) return
    all.push(...(answer.body.data as Checkpoint[]))
    if (!answer.body.has_more) break
  }
  const steps = all.map(({ step }) => step)
  const rising = order === 'asc' ? steps : steps.toReversed()
  if (rising.some((step, index) => step <= (rising[index - 1] ?? -1))) {
    ledger.find('checkpoints', `steps come as ${steps.join()}, ${order}`, who)
  }
}
