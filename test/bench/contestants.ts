/** Who runs in the race: how each is started, and how it is asked for what it can do. */
import type { Answers } from './answers.js'
import { JOBS_TO_DO, type Calls, type JobToDo } from './calls.js'
import { chatCalls, jobCall, openEmulator, openUnpaged } from './emulator-calls.js'
import { emulatorAt } from './server-process.js'

export interface Contestant {
  name: string
  /** The row that it is measured beside: the bare server on the same Node. */
  beside: string
  node: string
  args: (port: number) => string[]
  /** A path that it answers with 200 as soon as it can answer anything. */
  first: string
  /** Makes there what it will be asked for, and no more where only some of it will be. */
  open: (url: string, jobs: readonly JobToDo[]) => Promise<Calls>
  /** As the registry knows it. */
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

/** It says what ours says, to the same calls. */
export function bare({ file, told }: Answers): Contestant {
  const calls: Calls = {}
  const asked: Calls = { post: jobCall('x'.repeat(36)), ...chatCalls }
  for (const job of JOBS_TO_DO) {
    const body = told[job].body
    const method = job === 'get' || job.endsWith('Page') ? 'GET' : 'POST'
    const holds = typeof body === 'string' ? body : body.join('')
    // What the emulator is sent, so that there is as much to read.
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

/** Ours by its first command, with a built-in scenario, and with one from a file. */
export function asOneStarts(contestant: Contestant): Contestant[] {
  if (contestant.name !== OURS) return [contestant]
  const builtIn = { ...contestant, args: (port: number) => emulatorAt(port, 'failing-job') }
  return [builtIn, { ...contestant, name: `${OURS}, a scenario from a file` }]
}
