import { isHere, isLoopbackName } from '../../../base/text/near-address.js'
import { webUrl } from '../../../base/text/options.js'
import { withoutCredentials } from '../../../base/text/redaction/credentials.js'
import { ADDRESS_VARIABLES } from '../../../base/text/vendor/sdk-variables.js'
import { CONTROL_ROOT } from '../../../emulator/control/control-path.js'
import type { Host } from '../../../service/contract/exchange.js'
import { DEFAULT_PORT } from '../../options/serve.js'
import { diagnosis, type Check, type EmulatorPort, type Machine, type Problem } from '../check.js'

/** The variables that `exec` sets for a program of the user, each with its API and the end of its path. */
const OWN = [
  { name: 'SVTRAIN_BASE_URL', api: 'training', path: '/v1' },
  { name: 'SVTRAIN_INFERENCE_URL', api: 'inference', path: '/v1' },
  { name: 'SVTRAIN_CONTROL_URL', api: 'training', path: CONTROL_ROOT },
] as const

export const addresses: Check = {
  name: 'addresses',
  async look(machine) {
    const all = [...OWN, ...ADDRESS_VARIABLES]
    const set = all.filter(({ name }) => machine.environment[name])
    const found = await Promise.all(set.map((each) => problemWith(each, machine)))
    const names = set.map(({ name }) => name).join(', ')
    const fine =
      set.length === 0 ? 'No variable names an address.' : `${names}: an emulator answers.`
    return diagnosis(fine, found)
  },
}

interface Variable {
  readonly name: string
  /** The API that it leads to. Default: either. */
  readonly api?: Host
  /** The end of the path of its API. */
  readonly path?: string
}

/** Hides secrets in an address, also if it has no scheme. */
function shownAddress(value: string): string {
  const scheme = value.includes('://') ? '' : 'http://'
  return withoutCredentials(scheme + value).slice(scheme.length)
}

async function problemWith(variable: Variable, machine: Machine): Promise<Problem | undefined> {
  const { name, path = '' } = variable
  const { environment, program, ownHosts } = machine
  const { [name]: value = '' } = environment
  const instead = `Unset it, and let exec set it: env -u ${name} ${program} exec -- <command>`
  if (!webUrl.accepts(value)) {
    return {
      what: `${name} is "${shownAddress(value)}", which is not ${webUrl.expected}.`,
      effect: 'A client fails with its first call.',
      repair: `Write the whole URL, such as http://127.0.0.1:${DEFAULT_PORT}${path}. ${instead}`,
    }
  }
  const url = new URL(value)
  if (!isHere(url.hostname, ownHosts)) {
    return {
      what: `${name} leads to ${url.host}, which is another machine.`,
      effect: 'A client that reads it calls that machine, not the emulator, and may pay for it.',
      repair: instead,
    }
  }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const answers = await machine.answersAt(port, url.hostname)
  if (typeof answers !== 'string') return wrongPlace(variable, url, answers)
  const isNobody = answers === 'nobody'
  const option = variable.api === 'inference' ? '--inference-port' : '--port'
  return {
    what: `${name} leads to ${shownUrl(url)}, where ${isNobody ? 'nobody listens' : 'another server answers'}.`,
    effect: 'A client that reads it does not reach an emulator.',
    // By default, an emulator listens only at a loopback address.
    repair:
      isNobody && isLoopbackName(url.hostname)
        ? `Start one on that port: ${program} ${option} ${port}. Or unset it, and let exec set it.`
        : instead,
  }
}

/** What is wrong with an address where an emulator answers: it is that of the other API, or not that of its API. */
function wrongPlace(
  { name, api, path }: Variable,
  url: URL,
  port: EmulatorPort,
): Problem | undefined {
  const shown = shownUrl(url)
  const base = port[api ?? port.api]
  // The base path does not change where the control API is.
  const right = path === CONTROL_ROOT ? new URL(path, base).href : base.replace(/\/v1$/, path ?? '')
  const repair = `export ${name}=${right}`
  if (api !== undefined && port.api !== api) {
    return {
      what: `${name} leads to ${shown}, where the ${port.api} API of an emulator answers.`,
      effect: `A client that reads it calls the ${port.api} API.`,
      repair,
    }
  }
  const { pathname, protocol } = new URL(right)
  const isThere = path === undefined || url.pathname.replace(/\/$/, '') === pathname
  if (isThere && url.protocol === protocol) return undefined
  return {
    what: `${name} is ${shown}, and its API is at ${right}.`,
    effect: 'Each call fails, or is answered with 404.',
    repair,
  }
}

function shownUrl({ origin, pathname }: URL): string {
  return origin + pathname
}
