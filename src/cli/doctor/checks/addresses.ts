import { isLoopbackName } from '../../../base/text/authority.js'
import { withoutCredentials } from '../../../base/text/redaction/redact.js'
import { ADDRESS_VARIABLES } from '../../../base/text/vendor/sdk-variables.js'
import { CONTROL_ROOT } from '../../../emulator/control/control-path.js'
import type { Host } from '../../../service/contract/exchange.js'
import { DEFAULT_PORT } from '../../options/serve.js'
import { diagnosis, type Check, type Machine, type Problem } from '../check.js'

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
  /** What its path ends with. */
  readonly path?: string
}

/** Hides secrets in an address, also if it has no scheme. */
function shownAddress(value: string): string {
  const scheme = value.includes('://') ? '' : 'http://'
  return withoutCredentials(scheme + value).slice(scheme.length)
}

async function problemWith(
  { name, api, path }: Variable,
  { environment, program, answersAt }: Machine,
): Promise<Problem | undefined> {
  const { [name]: value = '' } = environment
  const url = URL.canParse(value) ? new URL(value) : undefined
  const instead = `Unset it, and let exec set it: env -u ${name} ${program} exec -- <command>`
  if (!url || !/^https?:$/.test(url.protocol)) {
    return {
      what: `${name} is "${shownAddress(value)}", which is not a URL.`,
      effect: 'A client fails with its first call.',
      repair: `Write the whole URL, such as http://127.0.0.1:${DEFAULT_PORT}${path ?? ''}. ${instead}`,
    }
  }
  const shown = `${url.origin}${url.pathname}`
  if (!isLoopbackName(url.hostname)) {
    return {
      what: `${name} leads to ${url.host}, which is another machine.`,
      effect: 'A client that reads it calls that machine, not the emulator, and may pay for it.',
      repair: instead,
    }
  }
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const answers = await answersAt(port, url.hostname)
  if (typeof answers === 'string') {
    const option = api === 'inference' ? '--inference-port' : '--port'
    return {
      what: `${name} leads to ${shown}, where ${answers === 'nobody' ? 'nobody listens' : 'another server answers'}.`,
      effect: 'A client that reads it does not reach an emulator.',
      repair:
        answers === 'nobody'
          ? `Start one on that port: ${program} ${option} ${port}. Or unset it, and let exec set it.`
          : instead,
    }
  }
  if (api !== undefined && answers.api !== api) {
    const right =
      path === CONTROL_ROOT
        ? new URL(path, answers[api]).href
        : answers[api].replace(/\/v1$/, path ?? '')
    return {
      what: `${name} leads to ${shown}, where the ${answers.api} API of an emulator answers.`,
      effect: `A client that reads it calls the ${api} API.`,
      repair: `export ${name}=${right}`,
    }
  }
  if (path === undefined || url.pathname.replace(/\/$/, '').endsWith(path)) return undefined
  return {
    what: `${name} is ${shown}, without ${path} at its end.`,
    effect: 'Each call is answered with 404.',
    repair: `export ${name}=${url.origin}${path}`,
  }
}
