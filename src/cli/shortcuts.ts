import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pid, platform } from 'node:process'
import type { Emulator } from '../emulator/emulator.js'
import type { ClockMode } from '../base/clock/clock.js'
import { toIso } from '../base/text/iso.js'
import type { Output } from './terminal.js'

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const CTRL_Z = '\u001a'

/** The part of stdin that is used. */
type Keyboard = Pick<
  NodeJS.ReadStream,
  'isTTY' | 'setRawMode' | 'setEncoding' | 'on' | 'off' | 'resume' | 'pause'
>

interface Surroundings {
  output: Output
  dashboardUrl: string
  /** Stops the program. */
  quit: () => void
  openUrl?: (url: string) => void
}

/**
 * Makes keys of the terminal work: `o` opens the dashboard, and so on.
 *
 * @returns A function that gives the keyboard back to the terminal.
 */
export function listenToKeys(
  emulator: Emulator,
  keyboard: Keyboard,
  {
    isInForeground = isInForegroundNow,
    ...surroundings
  }: Surroundings & { isInForeground?: () => boolean },
): () => void {
  const keys = new Shortcuts(emulator, surroundings)
  let isListening = false
  const { background } = emulator.journal
  const start = background.callback('listen to the keyboard', () => {
    // The system stops a process in the background that reads the terminal or changes it.
    if (isListening || !isInForeground()) return
    isListening = true
    keyboard.setRawMode(true)
    keyboard.setEncoding('utf8')
    keyboard.on('data', onData)
    keyboard.resume()
  })
  const stop = (): void => {
    if (!isListening) return
    isListening = false
    keyboard.off('data', onData)
    keyboard.setRawMode(false)
    keyboard.pause()
  }
  const press = (key: string): void => {
    if (key !== CTRL_Z || platform === 'win32') return keys.press(key)
    stop()
    process.kill(pid, 'SIGTSTP')
  }
  const onData = (typed: string): void => {
    // Its error may come from a scheduled task, which the key n runs.
    for (const key of typed) background.run(`do what the key ${key} stands for`, () => press(key))
  }
  start()
  if (platform !== 'win32') process.on('SIGCONT', start)
  return () => {
    if (platform !== 'win32') process.off('SIGCONT', start)
    stop()
  }
}

/** A key that works while the emulator serves. */
interface Shortcut {
  readonly key: string
  readonly does: string
  readonly press: () => void
  /** Other keys that do the same. */
  readonly also?: readonly string[]
}

/** What the keys do. */
export class Shortcuts {
  readonly #all: readonly Shortcut[] = [
    { key: 'o', does: 'open the dashboard in the browser', press: () => this.#open() },
    { key: 'p', does: 'pause the clock, or continue', press: () => this.#pauseOrContinue() },
    { key: 'n', does: 'go to the next event; pauses a running clock', press: () => this.#next() },
    { key: 'r', does: 'reset: start over with the first scenario', press: () => this.#reset() },
    {
      key: 'q',
      does: 'quit, as Ctrl-C does',
      press: () => this.#surroundings.quit(),
      also: [CTRL_C, CTRL_D],
    },
    { key: '?', does: 'show these keys', press: () => this.#help(), also: ['h'] },
  ]
  readonly #emulator: Emulator
  readonly #surroundings: Surroundings
  /** How the clock of each world went before the pause. */
  readonly #paused = new Map<Emulator, { mode: ClockMode; speed: number }>()

  constructor(emulator: Emulator, surroundings: Surroundings) {
    this.#emulator = emulator
    this.#surroundings = surroundings
  }

  /** Does what a key stands for. Other keys do nothing. */
  press(key: string): void {
    const pressed = key.toLowerCase()
    this.#all.find((each) => each.key === pressed || each.also?.includes(pressed))?.press()
  }

  /** The worlds that the keys change: with `--isolate`, those of all keys. */
  get #worlds(): Emulator[] {
    return [this.#emulator, ...this.#emulator.worlds]
  }

  #say(text: string): void {
    const { write, paint } = this.#surroundings.output
    write(paint('cyan', text))
  }

  #open(): void {
    const { dashboardUrl, openUrl = openInBrowser } = this.#surroundings
    this.#say(`Opening ${dashboardUrl}`)
    openUrl(dashboardUrl)
  }

  #pauseOrContinue(): void {
    const { mode } = this.#emulator.clock
    if (mode !== 'manual') {
      this.#pause()
      return this.#say(`Paused at ${this.#time}. p continues, n goes to the next event.`)
    }
    for (const world of this.#worlds) {
      if (world.clock.mode !== 'manual') continue
      const { mode: before, speed } = this.#paused.get(world) ?? { mode: 'real', speed: 1 }
      world.useClock(before, before === 'real' ? { speed } : {})
    }
    this.#paused.clear()
    const { clock } = this.#emulator
    this.#say(`The clock is ${clock.mode}${clock.mode === 'real' ? `, speed ${clock.speed}` : ''}.`)
  }

  #pause(): void {
    for (const world of this.#worlds) {
      const { mode, speed } = world.clock
      if (mode === 'manual') continue
      this.#paused.set(world, { mode, speed })
      world.useClock('manual')
    }
  }

  #next(): void {
    const isRunning = this.#emulator.clock.mode !== 'manual'
    this.#pause()
    const happened = this.#worlds.filter(({ clock }) => clock.next()).length
    for (const { engine } of this.#worlds) engine.changes.time()
    if (happened === 0) return this.#say('Nothing is scheduled. Create a job, then press n again.')
    if (isRunning) this.#say(`Paused at ${this.#time}. p continues.`)
  }

  #reset(): void {
    for (const world of this.#worlds) world.reset()
    this.#paused.clear()
    const { scenario, seed } = this.#emulator
    this.#say(`Reset: scenario ${scenario.name}, seed ${seed}.`)
  }

  #help(): void {
    const { write, paint } = this.#surroundings.output
    for (const { key, does } of this.#all) write(`  ${paint('bold', key)}  ${does}`)
  }

  get #time(): string {
    return toIso(this.#emulator.clock.now())
  }
}

/** Whether the terminal passes its keys to this process, and not to another one of the shell. */
function isInForegroundNow(): boolean {
  if (platform === 'win32') return true
  try {
    const [group, foreground] = platform === 'linux' ? groupsOnLinux() : groupsByPs()
    return group !== undefined && group === foreground
  } catch {
    return false
  }
}

/** The process group of this process, and the one in the foreground of its terminal. */
function groupsOnLinux(): (string | undefined)[] {
  // The name, in parentheses, may contain spaces. After it: state, parent, group, session, tty, foreground.
  const [, after = ''] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? []
  const fields = after.split(' ')
  return [fields[2], fields[5]]
}

function groupsByPs(): (string | undefined)[] {
  const answer = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(pid)], { encoding: 'utf8' })
  return answer.trim().split(/\s+/)
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
}

function openInBrowser(url: string): void {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  // Without a browser, the printed URL is all that is needed.
  child.on('error', () => {})
  child.unref()
}
