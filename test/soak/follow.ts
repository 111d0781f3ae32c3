import type { SeenEvent } from './ledger.js'
import type { Answer, Line } from './line.js'
import { rest, type Player } from './player.js'
import type { Stamp } from './world.js'

const ENDS = ['training_ended', 'training_failed']

/** Why the events cannot have this order. Undefined if they can. */
export function illegalOrder(events: readonly SeenEvent[]): string | undefined {
  const ids = new Set(events.map(({ id }) => id))
  if (ids.size < events.length) return 'an id comes twice'
  const types = events.map(({ type }) => type)
  const end = types.findIndex((type) => ENDS.includes(type))
  if (end !== -1 && end < types.length - 1) return `${types[end + 1]} after ${types[end]}`
  const started = types.indexOf('training_started')
  if (types.lastIndexOf('training_started') !== started) return 'training_started twice'
  if (started > 0) return `training_started after ${types[0]}`
  if (started === -1 && types.includes('gradient_step')) return 'a step without a start'
  return undefined
}

interface Followed {
  readonly jobId: string
  readonly stamp: Stamp
}

/** Polls a job by cursor until it ends, the world changes, or a time limit is reached. */
export async function follow(player: Player, line: Line, followed: Followed): Promise<void> {
  const { draws, ended } = player
  const { jobId, stamp } = followed
  const seen: SeenEvent[] = []
  const isOver = (): boolean => ENDS.includes(seen.at(-1)?.type ?? '')
  // Whether all events were read without faults.
  let calm = stamp.calm
  for (let polls = 60; polls > 0 && !ended.aborted && !isOver(); polls--) {
    const limit = 1 + draws.below(100)
    const after = seen.at(-1)?.id
    const cursor = after === undefined ? '' : `&after=${after}`
    const path = `/preview/training-jobs/${jobId}/events?limit=${limit}${cursor}`
    const answer = await line.ask('GET', path, { expected: [200, 404] })
    calm &&= answer?.calm ?? false
    if (!line.world.sameSince(stamp)) return
    if (answer) readPage(player, line, { jobId, answer, seen, limit, calm })
    await rest(player)
  }
  if (calm && line.world.calmSince(stamp) && draws.isHit(0.3)) {
    await readAgain(player, line, { jobId, seen })
  }
}

interface Read {
  jobId: string
  answer: Answer
  /** Where the events are recorded. */
  seen: SeenEvent[]
  limit: number
  calm: boolean
}

function readPage(player: Player, { world }: Line, read: Read): void {
  const { ledger, who } = player
  const { jobId, answer, seen, limit, calm } = read
  if (calm && answer.status === 404) {
    ledger.find('jobs', `job ${jobId} or its cursor ${seen.at(-1)?.id} is not known`, who)
  }
  if (answer.status !== 200 || !Array.isArray(answer.body?.data)) return
  const page = answer.body.data as SeenEvent[]
  seen.push(...page)
  const account = ledger.accounts.get(jobId)
  // Worlds with the same seed give the same ids to things with the same names.
  if (answer.same && account?.world === world && account.generation === answer.stamp.generation) {
    for (const { id, type } of page) account.seen.set(id, type)
  }
  if (calm) checkPage(player, { seen, page, limit, more: answer.body.has_more as boolean })
}

interface Page {
  seen: readonly SeenEvent[]
  page: readonly SeenEvent[]
  limit: number
  more: boolean
}

function checkPage({ ledger, who }: Player, { seen, page, limit, more }: Page): void {
  const wrong = illegalOrder(seen)
  if (wrong !== undefined) ledger.find('pages', `the events of a job: ${wrong}`, who)
  if (page.length > limit) ledger.find('pages', `${page.length} items of ${limit}`, who)
  if (more && page.length < limit) ledger.find('pages', `${page.length} of ${limit}, and more`, who)
}

/** Reads all events again with other page sizes. They must be the same and not fewer. */
async function readAgain(
  { draws, ledger, who }: Player,
  line: Line,
  { jobId, seen }: { jobId: string; seen: readonly SeenEvent[] },
): Promise<void> {
  const again: SeenEvent[] = []
  for (let more = true; more;) {
    const after = again.length === 0 ? '' : `&after=${again.at(-1)!.id}`
    const path = `/preview/training-jobs/${jobId}/events?limit=${1 + draws.below(100)}${after}`
    const answer = await line.ask('GET', path)
    if (!answer?.calm || answer.status !== 200) return
    if (!answer.body?.data) return
    again.push(...(answer.body.data as SeenEvent[]))
    more = answer.body.has_more as boolean
  }
  const gap = seen.findIndex(({ id }, index) => again[index]?.id !== id)
  if (gap !== -1) ledger.find('pages', `event ${gap} of a job is another when read again`, who)
}
