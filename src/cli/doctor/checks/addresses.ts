import { isLoopbackName } from '../../../base/text/authority.js'
import { ADDRESS_VARIABLES } from '../../../base/text/vendor/sdk-variables.js'
import { DEFAULT_PORT } from '../../options/serve.js'
import { diagnosis, type Check, type Machine, type Problem } from '../check.js'

/** The variables that `exec` sets for a program of the user, each with the end of its path. */
const OWN = [
  { name: 'SVTRAIN_BASE_URL', path: '/v1' },
  { name: 'SVTRAIN_INFERENCE_URL', path: '/v1' },
  { name: 'SVTRAIN_CONTROL_URL', path: '/_emulator' },
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
  /** What its path ends with. */
  readonly path?: string
}

async function problemWith(
  { name, path }: Variable,
  { environment, program, answersAt }: Machine,
): Promise<Problem | undefined> {
  const { [name]: value = '' } = environment
  const url = URL.canParse(value) ? new URL(value) : undefined
  const instead = `Unset it, and let exec set it: env -u ${name} ${program} exec -- <command>`
  if (!url || !/^https?:$/.test(url.protocol)) {
    return {
      what: `${name} is "${value.replace(/[^/]*@/, '')}", which is not a URL.`,
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
  const answers = await answersAt(
    Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    url.hostname,
  )
  if (answers !== 'an emulator') {
    return {
      what: `${name} leads to ${shown}, where ${answers === 'nobody' ? 'nobody listens' : 'another server answers'}.`,
      effect: 'A client that reads it does not reach an emulator.',
      repair: `Start one on that port: ${program} --port ${url.port}. Or unset it, and let exec set it.`,
    }
  }
  if (path === undefined || url.pathname.replace(/\/$/, '').endsWith(path)) return undefined
  return {
    what: `${name} is ${shown}, without ${path} at its end.`,
    effect: 'Each call is answered with 404.',
    repair: `export ${name}=${url.origin}${path}`,
  }
}
