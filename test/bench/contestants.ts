/** The servers of the comparison: how each is started and called. */
import type { Answers, Recording } from './answers.js'
import type { Call, Calls } from './calls.js'
import { openEmulator } from './emulator-calls.js'
import { emulatorAt } from './server-process.js'

export interface Contestant {
  name: string
  /** The row that it is compared with: the bare server on the same Node. */
  beside: string
  node: string
  args: (port: number) => string[]
  /** A path that it answers with 200 as soon as it is ready. */
  first: string
  /** Creates the data for the given calls in the server. */
  open: (url: string) => Promise<Calls>
}

export const OURS = 'svtrain-emulator'
export const BARE = 'bare `node:http`'

export function ours({ scenario }: Answers): Contestant {
  return {
    name: OURS,
    beside: BARE,
    node: process.execPath,
    args: (port) => emulatorAt(port, scenario),
    first: '/v1/health',
    open: openEmulator,
  }
}

/** A bare server that sends the answers of the emulator to the same calls. */
export function bare(recording: Answers): Contestant {
  return {
    name: BARE,
    beside: BARE,
    node: process.execPath,
    ...bareServer(recording),
    open: () => Promise.resolve(bareCalls(recording)),
  }
}

/** How the bare server is started. */
export function bareServer({ file }: Pick<Recording, 'file'>): Pick<Contestant, 'args' | 'first'> {
  return { args: (port) => ['test/bench/bare-server.mjs', String(port), file], first: '/' }
}

/** The calls of the emulator at the paths of the bare server. Their bodies are the same, so that they have the same size. */
export function bareCalls<Name extends string>({
  calls,
  told,
}: Pick<Recording<Name>, 'calls' | 'told'>): Record<Name, Call> {
  const moved = {} as Record<Name, Call>
  for (const name in calls) {
    moved[name] = { ...calls[name], path: `/${name}`, holds: [told[name].body].flat().join('') }
  }
  return moved
}

/** The emulator with a built-in scenario, and with a scenario file. */
export function asOneStarts(contestant: Contestant): Contestant[] {
  if (contestant.name !== OURS) return [contestant]
  const builtIn = { ...contestant, args: (port: number) => emulatorAt(port, 'failing-job') }
  return [builtIn, { ...contestant, name: `${OURS}, a scenario from a file` }]
}
