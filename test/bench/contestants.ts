/** The servers of the comparison: how each is started and called. */
import type { Answers } from './answers.js'
import { JOBS_TO_DO, type Calls, type JobToDo } from './calls.js'
import { chatCalls, jobCall, openEmulator, openUnpaged } from './emulator-calls.js'
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
  open: (url: string, jobs: readonly JobToDo[]) => Promise<Calls>
  /** The name in the package registry. */
  package?: string
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
    open: (url, jobs) => {
      const paged = jobs.includes('firstPage') || jobs.includes('deepPage')
      return paged ? openEmulator(url) : openUnpaged(url)
    },
  }
}

/** A bare server that sends the answers of the emulator to the same calls. */
export function bare({ file, told }: Answers): Contestant {
  const calls: Calls = {}
  const asked: Calls = { post: jobCall('x'.repeat(36)), ...chatCalls }
  for (const job of JOBS_TO_DO) {
    const body = told[job].body
    const method = job === 'get' || job.endsWith('Page') ? 'GET' : 'POST'
    const holds = typeof body === 'string' ? body : body.join('')
    // The body of the emulator's call, so that the request has the same size.
    const sent = asked[job]?.body
    calls[job] = { method, path: `/${job}`, holds, ...(sent !== undefined && { body: sent }) }
  }
  return {
    name: BARE,
    beside: BARE,
    node: process.execPath,
    args: (port) => ['test/bench/bare-server.mjs', String(port), file],
    first: '/',
    open: () => Promise.resolve(calls),
  }
}

/** The emulator with a built-in scenario, and with a scenario file. */
export function asOneStarts(contestant: Contestant): Contestant[] {
  if (contestant.name !== OURS) return [contestant]
  const builtIn = { ...contestant, args: (port: number) => emulatorAt(port, 'failing-job') }
  return [builtIn, { ...contestant, name: `${OURS}, a scenario from a file` }]
}
