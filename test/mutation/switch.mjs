/**
 * Loaded into each process of a run. Turns on the mutant that the environment names, and notes which mutants
 * are reached. `globalThis.__mutants` is for the process that runs the tests, which turns on one at a time.
 */
import { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

const hits = process.env.MUTANT_HITS
const isChild = process.env.MUTANT_CHILD !== undefined
const reached = new Set()
/** A mutant of code that runs while modules load: it is on from the start. */
const always = Number(process.env.MUTANT_ALWAYS ?? 0)
let active = Number(process.env.MUTANT ?? 0)

function reach(id) {
  if (reached.has(id)) return
  reached.add(id)
  if (isChild && hits !== undefined) appendFileSync(hits, `${id}\n`)
}

// The page of the dashboard tells its server what it reaches.
subscribe('http.server.request.start', ({ request }) => {
  const match = /\?mutant=(\d+)$/.exec(request.url ?? '')
  if (match) reach(Number(match[1]))
})

/** Turns on a mutant in the page of the dashboard, which the next browser that opens it loads. */
function turnOnInPage(id) {
  const page = process.env.MUTANT_PAGE
  if (page === undefined || !existsSync(page)) return
  const text = readFileSync(page, 'utf8').replace(/^.*\/\*switch\*\/\n/, '')
  const tell = "fetch('/_emulator/assets/icon.svg?mutant='+i)"
  const of = `globalThis.__mutant=i=>{let s=globalThis.__seen??=new Set;s.has(i)||(s.add(i),${tell});return i===${id}};`
  writeFileSync(page, `${of}/*switch*/\n${text}`)
}

globalThis.__mutant = (id) => {
  reach(id)
  return id === active || id === always
}

globalThis.__mutants = {
  turnOn(id, inBrowser = false) {
    active = id
    if (inBrowser) turnOnInPage(id)
    process.env.MUTANT = String(id)
    process.env.MUTANT_CHILD = '1'
  },
  /** Forgets what was reached. */
  forget() {
    reached.clear()
    writeFileSync(hits, '')
  },
  reached() {
    return new Set([
      ...reached,
      ...readFileSync(hits, 'utf8').split('\n').filter(Boolean).map(Number),
    ])
  },
}

// A test may give a process that it starts an environment of its own, without ours.
const { spawn } = ChildProcess.prototype
ChildProcess.prototype.spawn = function (options) {
  const given = new Set(options.envPairs?.map((pair) => pair.split('=', 1)[0]))
  for (const name of ['NODE_OPTIONS', 'MUTANT', 'MUTANT_CHILD', 'MUTANT_HITS', 'MUTANT_ALWAYS']) {
    const value = process.env[name]
    if (value !== undefined && !given.has(name)) options.envPairs?.push(`${name}=${value}`)
  }
  return spawn.call(this, options)
}
