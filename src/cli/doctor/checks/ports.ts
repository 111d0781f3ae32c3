import { DEFAULT_INFERENCE_PORT, DEFAULT_PORT, DEFAULT_SINK_PORT } from '../../options/serve.js'
import { diagnosis, type Answering, type Check, type Problem } from '../check.js'

/** The ports that are used without an option, with the option that chooses another one. */
const PORTS = [
  { port: DEFAULT_PORT, option: '--port' },
  { port: DEFAULT_INFERENCE_PORT, option: '--inference-port' },
  { port: DEFAULT_SINK_PORT, option: '--sink-port' },
] as const

export const ports: Check = {
  name: 'ports',
  async look({ answersAt, program }) {
    const lookups = PORTS.map(async (each) => ({ ...each, answers: await answersAt(each.port) }))
    const known = await Promise.all(lookups)
    const taken = known.filter(({ answers }) => answers === 'another server')
    const problems = taken.map(async ({ port, option }): Promise<Problem> => {
      let free = port + 100
      while ((await answersAt(free)) !== 'nobody') free++
      return {
        what: `Another server listens on port ${port}.`,
        effect: `The emulator takes the next free port, and a program that calls ${port} reaches the other server.`,
        repair: `Stop that server, or choose a port for both: ${program} ${option} ${free}`,
      }
    })
    return diagnosis(sentenceOf(known), await Promise.all(problems))
  },
}

function sentenceOf(known: readonly { port: number; answers: Answering }[]): string {
  const used = known.filter(({ answers }) => typeof answers === 'object').map(({ port }) => port)
  const free = known.filter(({ answers }) => answers === 'nobody').map(({ port }) => port)
  const parts = [
    used.length > 0 && `An emulator answers on ${used.join(' and ')}.`,
    free.length > 0 && `Free: ${free.join(', ')}.`,
  ]
  return `Ports. ${parts.filter(Boolean).join(' ')}`
}
