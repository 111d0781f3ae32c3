/** The control API of an emulator that was started without options. */
const CONTROL = 'http://127.0.0.1:4600/_emulator'

function read(path: string, also = ''): string {
  return `${also}curl ${CONTROL}/${path}`
}

function change(path: string, body = ''): string {
  return `curl -X POST ${CONTROL}/${path}${body === '' ? '' : ` -d '${body}'`}`
}

const TRACE = 'svtrain-emulator trace, or '
const DELIVERIES = read('deliveries', TRACE)
const LOG = read('timeline', TRACE)
const JOBS = read('jobs', TRACE)

/** What people look for as a command, and what does it instead. */
export const elsewhere: Readonly<Record<string, string>> = {
  checkpoints: read('models'),
  clock: change('clock/advance', '{"by":"10m"}'),
  deliveries: DELIVERIES,
  delivery: DELIVERIES,
  events: LOG,
  faults: read('faults'),
  job: JOBS,
  jobs: JOBS,
  lineage: read('lineage'),
  log: LOG,
  logs: LOG,
  models: read('models'),
  pending: read('pending'),
  requests: read('requests', TRACE),
  resend: `${change('deliveries/resend')}, or svtrain-emulator sink replay for what a sink recorded`,
  reset: change('reset'),
  secrets: read('secrets'),
  settle: change('clock/settle'),
  status: read('info'),
  timeline: LOG,
  webhook: read('webhooks'),
  webhooks: read('webhooks'),
}

/** Says what does that which the words ask for: the last of them that is known. */
export function elsewhereText(words: readonly string[]): string | undefined {
  const found = words.findLast((word) => Object.hasOwn(elsewhere, word))
  return found && ` There is no such command. For ${found}: ${elsewhere[found]}`
}
