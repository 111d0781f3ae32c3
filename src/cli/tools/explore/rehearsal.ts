import { crashes } from '../../../tools/explore/parts/crashes.js'
import { readKills, type Kill } from '../../../tools/explore/crash/kill.js'
import type { ArgumentsOf } from '../../command.js'
import type { explore } from './command.js'

type Arguments = Partial<
  Pick<ArgumentsOf<typeof explore>, 'crash' | 'crash-at' | 'only' | 'clock' | 'webhook' | 'state'>
>

/** What the options say about kills of the command. */
export interface Rehearsal {
  /** The names of the runs. Undefined: all but those with kills. */
  readonly only: readonly string[] | undefined
  /** Undefined: at a few calls of each operation. */
  readonly kills: readonly Kill[] | undefined
  readonly clock: NonNullable<Arguments['clock']>
  /** What it takes for granted, for people. Undefined without kills. */
  readonly assumption: string | undefined
}

/** Returns what the options say about kills of the command. */
export function rehearsalOf(args: Arguments): Rehearsal {
  const { crash = false, 'crash-at': texts, only, webhook = [], state } = args
  const isWanted = crash || texts !== undefined || (only?.includes(crashes.kind) ?? false)
  const names = isWanted ? [...new Set([...(only ?? []), crashes.kind])] : only
  // Under `instant`, no job is unfinished when the command starts again. A command that polls no job needs it.
  const clock = isWanted && webhook.length === 0 ? 'auto' : 'instant'
  return {
    only: names,
    kills: texts && readKills(texts),
    clock: args.clock ?? clock,
    assumption: isWanted && state === undefined ? NO_STATE : undefined,
  }
}

const NO_STATE =
  'Without --state, this assumes that the command stores nothing on this machine that another start reads.'
