import { describe, expect, it, vi } from 'vitest'
import type { Warning } from '../../../src/service/engine/warnings.js'
import { OpenPorts } from '../../../src/emulator/adapters/open-ports.js'

/** The process of a test runner, in which these things keep the process alive at each look. */
function watched(...looks: (readonly string[])[]) {
  return watchedBy({ timesTests: false }, ...looks)
}

function watchedBy({ timesTests }: { timesTests: boolean }, ...looks: (readonly string[])[]) {
  const warn = vi.fn<(warning: Warning) => void>()
  const stop = vi.fn<() => void>()
  let look = (): void => {}
  const ports = new OpenPorts({
    resources: () => looks.shift() ?? [],
    timesTests,
    warn,
    beat: (next) => {
      look = next
      return stop
    },
  })
  return {
    ports,
    warn,
    stop,
    look: () => {
      while (looks.length > 0 && stop.mock.calls.length === 0) look()
    },
  }
}

function port(number: number, ...connections: { bytesRead: number }[]) {
  return { url: `http://127.0.0.1:${number}`, connections: () => connections }
}

const LEFT = ['PipeWrap', 'TTYWrap', 'TCPServerWrap', 'TCPServerWrap']

describe('a port that is left open', () => {
  it('is named once, when nothing else happens any more', () => {
    const { ports, warn, look } = watched(LEFT, LEFT, LEFT, LEFT, LEFT)
    ports.add({}, port(4700))
    look()
    expect(warn.mock.calls).toEqual([
      [
        {
          name: 'open-ports',
          text: 'http://127.0.0.1:4700 is still open, and nothing else happens in this process; call close(). See: svtrain-emulator docs warnings',
        },
      ],
    ])
  })

  it('is one of many', () => {
    const { ports, warn, look } = watched(LEFT, LEFT, LEFT)
    for (const number of [1, 2, 3, 4]) ports.add({}, port(number))
    look()
    const [{ text }] = warn.mock.calls[0]!
    expect(text).toMatch(/^http:\/\/127\.0\.0\.1:1 and http:\/\/127\.0\.0\.1:2 and 2 more are/)
  })

  it('may have a connection that its client left open', () => {
    const looks = [1, 2, 3, 4].map(() => [...LEFT, 'TCPSocketWrap'])
    const { ports, warn, look } = watched(...looks)
    ports.add({}, port(4700, { bytesRead: 100 }))
    look()
    expect(warn).toHaveBeenCalledOnce()
  })

  it('is named in Jest, although a connection belongs to a port of another file', () => {
    const looks = [1, 2, 3, 4].map(() => [...LEFT, 'TCPSocketWrap'])
    const { ports, warn, look } = watchedBy({ timesTests: true }, ...looks)
    ports.add({}, port(4700))
    look()
    expect(warn).toHaveBeenCalledOnce()
  })

  it('is none while a client calls, such as one in a thread', () => {
    const connection = { bytesRead: 0 }
    const { ports, warn, look } = watched(LEFT, LEFT, LEFT, LEFT, LEFT, LEFT)
    const used = port(4700)
    ports.add({}, { ...used, connections: () => [{ bytesRead: (connection.bytesRead += 100) }] })
    look()
    expect(warn).not.toHaveBeenCalled()
  })

  it('is none while a timer, a connection or a child process may use it', () => {
    for (const busy of ['Timeout', 'TCPSocketWrap', 'ProcessWrap', 'FSReqCallback']) {
      const { ports, warn, look } = watched(LEFT, LEFT, [...LEFT, busy], LEFT, LEFT)
      ports.add({}, port(4700))
      look()
      expect(warn).not.toHaveBeenCalled()
    }
  })

  it('is none once it is closed', () => {
    const { ports, warn, stop, look } = watched(LEFT, LEFT, LEFT)
    const [one, other] = [{}, {}]
    ports.add(one, port(4700))
    ports.add(other, port(4701))
    ports.delete(one)
    expect(stop).not.toHaveBeenCalled()
    ports.delete(other)
    expect(stop).toHaveBeenCalledOnce()
    look()
    expect(warn).not.toHaveBeenCalled()
  })
})
