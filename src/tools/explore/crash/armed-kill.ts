import { operationIdIn, platformOperationNames } from '../../../service/contract/operation-names.js'
import type { JournalEntry, RequestEntry } from '../../../service/engine/journal.js'
import type { Job } from '../../../service/engine/jobs/job.js'
import type { Emulator } from '../../../emulator/emulator.js'
import { killText, type Kill } from './kill.js'

/** Programs call these operations in the background, beside their other calls. */
const BESIDE: ReadonlySet<string> = new Set(platformOperationNames)

/** Whether calls of an operation come beside those of the program, in their own rhythm. */
export function isBeside(operation: string): boolean {
  return BESIDE.has(operationIdIn(operation))
}

/** The name of the faults that hold calls until the program is dead. Nobody gives one of their own this name. */
const KILL = 'killed by explore'

/** Whether a request got no answer because its program was killed. */
export function isCutByKill({ faults }: RequestEntry): boolean {
  return faults.some(({ name }) => name === KILL)
}

/** Said, so that no time passes while dead code calls again: nobody waits until such a fault is over. */
const ALL = { from: 1 } as const

/** A kill that waits for its call. */
export interface ArmedKill {
  /** Whether the call came. */
  readonly struck: boolean
  /** Lets calls through again. Call it when the program is dead. */
  readonly disarm: () => void
}

/**
 * Waits for the call of a kill, and holds its answer, or the next call.
 *
 * @param strike Kills the program. It is called once, before another call is answered.
 * @param options `drops`: nobody can kill the code, so that call and all later ones lose their connection.
 */
export async function armKill(
  emulator: Emulator,
  kill: Kill,
  strike: () => void,
  { drops = false }: { drops?: boolean } = {},
): Promise<ArmedKill> {
  const { faults, journal, checks } = emulator
  await checks.load()
  let struck = false
  const { operation, call, moment } = kill
  const isIt = (request: { operation: string }): boolean => request.operation === operation
  const isNext = (next: { operation: string }): boolean => {
    return isBeside(operation) || !isBeside(next.operation)
  }
  const cut = { fault: drops ? 'drop' : 'hang', name: KILL } as const
  const added =
    moment === 'before' ? [faults.add({ ...cut, stage: 'after', match: isIt, calls: call })] : []
  let answered = 0
  const unsubscribe = journal.subscribe((entry) => {
    if (struck || !isAnswered(entry)) return
    if (isCutByKill(entry)) {
      struck = true
      if (drops) added.push(faults.add({ ...cut, calls: ALL }))
      strike()
      return
    }
    if (moment === 'before' || entry.operation !== operation || ++answered !== call) return
    added.push(faults.add({ ...cut, match: isNext, calls: ALL }))
  })
  return {
    get struck() {
      return struck
    },
    disarm() {
      unsubscribe()
      for (const fault of added) fault.remove()
    },
  }
}

/** Whether an entry is a request of the code under test. */
export function isAnswered(entry: JournalEntry): entry is RequestEntry {
  return entry.kind === 'request' && entry.host !== 'control'
}

/**
 * Says in the journal that the program was killed, and moves the clock on as far as the program cannot see it: a job
 * whose answer it never got ends before it starts again.
 */
export function passKill(
  { engine, journal }: Pick<Emulator, 'engine' | 'journal'>,
  kill: Kill,
): void {
  journal.note(`explore: the program was killed ${killText(kill)}, and starts again`)
  const cut = new Set(
    journal.entries.filter((entry) => isAnswered(entry) && isCutByKill(entry)).map(({ id }) => id),
  )
  endJobs(engine, ({ cause }) => cause !== undefined && cut.has(cause))
}

/** Moves the clock until jobs are over, unless it is the user's, or real time. */
export function endJobs(
  { clock, store }: Emulator['engine'],
  isWanted: (job: Job) => boolean = () => true,
): void {
  if (clock.mode !== 'auto' && clock.mode !== 'instant') return
  const isOpen = (): boolean => [...store.jobs.values()].some((job) => !job.over && isWanted(job))
  for (let left = MOST_TASKS; left > 0 && isOpen(); left--) if (!clock.next()) return
}

/** The most tasks of the clock until all jobs are over. A job that is stuck never is. */
const MOST_TASKS = 100_000
