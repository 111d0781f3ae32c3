import { counted } from '../../base/text/counted.js'
import type { Exchange } from './exchanges.js'
import { isUnread } from './replaced-text.js'

/** What a recording never has. */
export const NOT_RECORDED =
  'Webhooks, models from before the recording and API keys are not in a recording.'

/** What the file of a run of the emulator never has. */
export const OF_RUN =
  'Webhooks are those of the run. Their URLs and secrets are left out, so they go to --webhook or to the sink. What a receiver answered and what was resent by hand is not in it. Models from before the run and API keys are not in it.'

function are({ length }: readonly unknown[]): string {
  return length === 1 ? 'is' : 'are'
}

/** Says where a scenario comes from, and which requests are not in it. */
export function headerOf(
  source: string,
  exchanges: readonly Exchange[],
  notes: readonly string[],
): string[] {
  const strangers = exchanges.filter(({ operation }) => operation === undefined)
  const open = exchanges.filter(({ how }) => how === 'unfinished')
  const unreached = exchanges.filter(({ how }) => how === 'unreached')
  const unread = exchanges.filter(({ operation, text }) => operation && isUnread(text))
  return [
    `Made from ${source}: ${counted(exchanges.length, 'request')}.`,
    strangers.length > 0 &&
      `${counted(strangers.length, 'request')} of no operation of the service ${are(strangers)} left out.`,
    open.length > 0 &&
      `${counted(open.length, 'request')} had no end in the recording, and ${are(open)} left out.`,
    unreached.length > 0 &&
      `${counted(unreached.length, 'request')} never reached the service, and ${are(unreached)} left out.`,
    unread.length > 0 && unreadNote(unread),
    ...new Set(notes),
  ].filter((note) => note !== false)
}

function unreadNote(unread: readonly Exchange[]): string {
  const names = [...new Set(unread.flatMap(({ operation }) => operation ?? []))].join(', ')
  return `${counted(unread.length, 'answer')} ${are(unread)} not in the recording, so nothing shows what ${unread.length === 1 ? 'it' : 'they'} said: ${names}.`
}
