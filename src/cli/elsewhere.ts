import { CONTROL_ROOT } from '../emulator/control/control-path.js'
import { DEFAULT_URL } from './options/serve.js'

const CONTROL = DEFAULT_URL + CONTROL_ROOT

function read(path: string, also = ''): string {
  return `${also}curl ${CONTROL}/${path}`
}

function change(path: string, body = ''): string {
  return `curl -X POST ${CONTROL}/${path}${body === '' ? '' : ` -d '${body}'`}`
}

const TRACE = 'svtrain-emulator trace, or '

/** What people look for as a command, and what does it instead. */
export const elsewhere: Readonly<Record<string, string>> = {
  checkpoints: read('models'),
  clock: change('clock/advance', '{"by":"10m"}'),
  deliveries: read('deliveries', TRACE),
  delivery: read('deliveries', TRACE),
  events: read('timeline', TRACE),
  faults: read('faults'),
  jobs: read('jobs', TRACE),
  lineage: read('lineage'),
  logs: read('timeline', TRACE),
  models: read('models'),
  pending: read('pending'),
  requests: read('requests', TRACE),
  resend: `${change('deliveries/resend')}, or svtrain-emulator sink replay for what a sink recorded`,
  reset: change('reset'),
  secrets: read('secrets'),
  settle: change('clock/settle'),
  status: read('info'),
  webhooks: read('webhooks'),
}

/** Says what does that which the words ask for, in singular or plural: the last of them that is known. */
export function elsewhereText(words: readonly string[]): string | undefined {
  const known = words.flatMap((word) => {
    return [word, `${word}s`].filter((each) => Object.hasOwn(elsewhere, each))
  })
  const found = known.at(-1)
  return found && ` There is no such command. For ${found}: ${elsewhere[found]}`
}
