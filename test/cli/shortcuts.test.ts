import { platform } from 'node:process'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Shortcuts, listenToKeys } from '../../src/cli/shortcuts.js'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'

function shortcuts(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options)
  const printed: string[] = []
  const surroundings = {
    output: {
      write: (text: string) => void printed.push(text),
      paint: (_style: unknown, text: string) => text,
    },
    dashboardUrl: 'http://127.0.0.1:4600/_emulator/',
    quit: vi.fn<() => void>(),
    openUrl: vi.fn<(url: string) => void>(),
  }
  return { emulator, printed, surroundings, keys: new Shortcuts(emulator, surroundings) }
}

describe('the keys while the emulator serves', () => {
  it('p pauses the clock, and continues as before', async () => {
    const { emulator, printed, keys } = shortcuts({ clock: 'real', speed: 5 })
    keys.press('p')
    expect(emulator.clock.mode).toBe('manual')
    expect(printed.at(-1)).toMatch(/^Paused at 2.*Z\. p continues, n goes to the next event\.$/)
    keys.press('p')
    expect(emulator.clock).toMatchObject({ mode: 'real', speed: 5 })
    expect(printed.at(-1)).toBe('The clock is real, speed 5.')
    await emulator.close()
  })

  it('n goes to the next event, and says if there is none', async () => {
    const { emulator, printed, keys } = shortcuts({ clock: 'manual' })
    keys.press('n')
    expect(printed.at(-1)).toBe('Nothing is scheduled. Create a job, then press n again.')
    const job = await emulator.jobs.start()
    expect(job.status).toBe('queued')
    keys.press('n')
    expect(job.status).toBe('running')
  })

  it('n pauses a running clock first', async () => {
    const { emulator, printed, keys } = shortcuts({ clock: 'real' })
    const job = await emulator.jobs.start()
    keys.press('n')
    expect(job.status).toBe('running')
    expect(emulator.clock.mode).toBe('manual')
    expect(printed.at(-1)).toMatch(/^Paused at .* p continues\.$/)
    await emulator.close()
  })

  it('r starts over', async () => {
    const { emulator, printed, keys } = shortcuts({ scenario: 'failing-job', clock: 'manual' })
    await emulator.jobs.start()
    keys.press('r')
    expect(emulator.jobs.all).toEqual([])
    expect(printed.at(-1)).toBe('Reset: scenario failing-job, seed 1.')
  })

  it('change the worlds of all keys', () => {
    const { emulator, keys } = shortcuts({ isolate: 'api-key', clock: 'instant' })
    const world = emulator.world('alice')
    keys.press('p')
    expect(world.clock.mode).toBe('manual')
    const running = emulator.world('bob')
    running.useClock('auto')
    keys.press('p')
    expect(world.clock.mode).toBe('instant')
    expect(running.clock.mode).toBe('auto')
  })

  it('o opens the dashboard, q and Ctrl-C quit, ? lists the keys', () => {
    const { printed, surroundings, keys } = shortcuts()
    keys.press('o')
    expect(surroundings.openUrl).toHaveBeenCalledWith(surroundings.dashboardUrl)
    keys.press('q')
    keys.press('\u0003')
    expect(surroundings.quit).toHaveBeenCalledTimes(2)
    printed.length = 0
    keys.press('?')
    expect(printed.map((line) => line.trim()[0])).toEqual(['o', 'p', 'n', 'r', 'q', '?'])
    keys.press('x')
    expect(printed).toHaveLength(6)
  })

  function keyboard() {
    const names = ['setRawMode', 'setEncoding', 'on', 'off', 'resume', 'pause']
    const calls: string[] = []
    const methods = names.map((name) => [
      name,
      (argument: string | boolean = '') => void calls.push(`${name} ${argument}`.trim()),
    ])
    const stdin = Object.fromEntries(methods) as Parameters<typeof listenToKeys>[1]
    return { stdin, calls }
  }

  it('are read until the emulator stops, and then the keyboard works as before', () => {
    const { emulator, surroundings } = shortcuts()
    const { stdin, calls } = keyboard()
    const stop = listenToKeys(emulator, stdin, { ...surroundings, isInForeground: () => true })
    expect(calls).toEqual(['setRawMode true', 'setEncoding utf8', 'on data', 'resume'])
    stop()
    expect(calls.slice(4)).toEqual(['off data', 'setRawMode false', 'pause'])
  })

  // The system of a terminal suspends the process, and sends SIGCONT when the shell continues it.
  it.skipIf(platform === 'win32')('stop at Ctrl-Z, and work again after `fg`', () => {
    const { emulator, printed, surroundings } = shortcuts({ clock: 'manual' })
    const { stdin, calls } = keyboard()
    const types: ((keys: string) => void)[] = []
    const { on } = stdin
    stdin.on = ((name: string, listener: (keys: string) => void) => {
      types.push(listener)
      return on(name, listener)
    }) as typeof stdin.on
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    onTestFinished(() => kill.mockRestore())
    const stop = listenToKeys(emulator, stdin, { ...surroundings, isInForeground: () => true })
    const listening = [...calls]

    types[0]!('n')
    expect(printed).toEqual(['Nothing is scheduled. Create a job, then press n again.'])
    expect(kill).not.toHaveBeenCalled()
    calls.length = 0
    types[0]!('\u001a')
    expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTSTP')
    expect(calls).toEqual(['off data', 'setRawMode false', 'pause'])
    calls.length = 0
    process.emit('SIGCONT', 'SIGCONT')
    expect(calls).toEqual(listening)
    stop()
  })

  it('are not read in the background, where the system would stop the process', () => {
    const { emulator, surroundings } = shortcuts()
    const { stdin, calls } = keyboard()
    listenToKeys(emulator, stdin, { ...surroundings, isInForeground: () => false })()
    expect(calls).toEqual([])
  })
})
