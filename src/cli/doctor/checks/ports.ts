import { portsOf } from '../../ports.js'
import { diagnosis, type Answering, type Check, type Problem } from '../check.js'
import { settingsOf } from '../settings-of.js'

const MIDDLE = 32_768

export const ports: Check = {
  name: 'ports',
  async look(machine) {
    const { answersAt, program } = machine
    // What is wrong with the settings is the subject of another check.
    const settings = await settingsOf(machine).catch(() => undefined)
    // The port 0 is always free.
    const fixed = portsOf(settings ?? {}).filter(({ port }) => port !== 0)
    const lookups = fixed.map(async (each) => ({ ...each, answers: await answersAt(each.port) }))
    const known = await Promise.all(lookups)
    const taken = known.filter(({ answers }) => answers === 'another server')
    const problems = taken.map(async ({ port, option, isChosen }): Promise<Problem> => {
      // Towards the middle, so that the search stays among the ports.
      const step = port < MIDDLE ? 1 : -1
      let free = port + 100 * step
      while ((await answersAt(free)) !== 'nobody') free += step
      const instead = isChosen ? 'does not start' : 'takes the next free port'
      return {
        what: `Another server listens on port ${port}.`,
        effect: `The emulator ${instead}, and a program that calls ${port} reaches the other server.`,
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
