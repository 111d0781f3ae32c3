import { diagnosis, type Check } from '../check.js'

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const
const LOOPBACK = ['127.0.0.1', 'localhost'] as const

export const proxies: Check = {
  name: 'proxies',
  look({ environment, program }) {
    const set = PROXIES.find((name) => environment[name])
    const listed = `${environment['NO_PROXY'] ?? ''},${environment['no_proxy'] ?? ''}`
      .split(',')
      .map((entry) => entry.trim())
    const missing = listed.includes('*') ? [] : LOOPBACK.filter((host) => !listed.includes(host))
    const fine = set === undefined ? 'No proxy is set.' : 'Local calls pass by the proxy.'
    return diagnosis(fine, [
      set === undefined || missing.length === 0
        ? undefined
        : {
            what: `${set} is set, and NO_PROXY does not name ${missing.join(' and ')}.`,
            effect:
              'Clients send calls of the emulator to the proxy, which answers 502 or lets them wait.',
            repair: `export NO_PROXY=${LOOPBACK.join(',')} no_proxy=${LOOPBACK.join(',')}, or run the program by exec, which does it: ${program} exec -- <command>`,
          },
    ])
  },
}
