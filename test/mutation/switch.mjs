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

const PASSED_ON = /^MUTANT(?:_CHILD|_HITS|_ALWAYS)?$/
const start = ChildProcess.prototype.spawn

// A test may start the command with an environment of its own. It needs the switch as well.
ChildProcess.prototype.spawn = function (options) {
  const pairs = (options.envPairs ?? []).filter((pair) => !PASSED_ON.test(pair.split('=')[0]))
  const at = pairs.findIndex((pair) => pair.startsWith('NODE_OPTIONS='))
  const [given = 'NODE_OPTIONS='] = at === -1 ? [] : pairs.splice(at, 1)
  const isLoaded = given.includes(import.meta.url)
  pairs.push(isLoaded ? given : `${given} --import=${import.meta.url}`)
  for (const [name, value] of Object.entries(process.env)) {
    if (PASSED_ON.test(name)) pairs.push(`${name}=${value}`)
  }
  return start.call(this, { ...options, envPairs: pairs })
}

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
