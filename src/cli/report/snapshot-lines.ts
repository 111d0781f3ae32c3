import { counted } from '../../base/text/counted.js'
import { withDescription } from '../../base/text/with-description.js'
import { printable } from '../terminal.js'
import type { ShownSnapshot } from './snapshot-json.js'

/** How many entries of a list are shown. */
const MOST = 20

const states = ['running', 'queued', 'ended', 'failed'] as const

/** Describes a snapshot for people. */
export function snapshotLines(shown: ShownSnapshot): string[] {
  const { version, has_secrets, scenario, seed, now, secrets, secrets_without_value } = shown
  const named = [...secrets, ...secrets_without_value.map((name) => `${name} (no value)`)]
  const webhooks = [
    ...shown.webhooks.map(({ name, url }) => `${name} to ${url ?? 'no URL'}`),
    ...shown.webhooks_of_options.map((name) => `${name} of an option, which is not saved`),
  ]
  const rows: [string, string][] = [
    ['Version', `${version}, secrets ${has_secrets ? 'kept' : 'left out'}`],
    ['Scenario', withDescription(scenario.name, scenario.description)],
    ['Seed', String(seed)],
    ['Clock', now],
    ['Models', String(shown.models.length)],
    ...listed(shown.models.map(modelLine)),
    ['Jobs', String(shown.jobs.length)],
    ...states.flatMap((status) => jobRows(shown, status)),
    ['Webhooks', String(webhooks.length)],
    ...listed(webhooks),
    ['Automations', String(shown.automations.length)],
    ...listed(
      shown.automations.map(({ name, event, webhook }) => `${name}: ${event} to ${webhook}`),
    ),
    ['Deliveries', deliveriesText(shown)],
    ...listed(
      shown.failed_deliveries.map(({ webhook, reason, count }) => {
        return `${count} to ${webhook} failed, the last attempt: ${reason}`
      }),
    ),
    ['Secrets', named.join(', ') || 'none'],
    ['API keys', String(shown.api_keys)],
  ]
  return rows.map(([name, value]) => `${name.padEnd(12)} ${printable(value)}`)
}

function deliveriesText({ deliveries }: ShownSnapshot): string {
  const counts = Object.entries(deliveries).map(([state, count]) => `${count} ${state}`)
  return counts.join(', ') || '0'
}

function modelLine({ name, base_model, checkpoints }: ShownSnapshot['models'][number]): string {
  const last = checkpoints.at(-1)
  const latest = last === undefined ? '' : `, latest step ${last.step}`
  const aliases = checkpoints.flatMap(({ step, aliases: names }) => {
    return names.map((alias) => `, ${alias}: ${step}`)
  })
  const count = counted(checkpoints.length, 'checkpoint')
  return `${name} on ${base_model}: ${count}${latest}${aliases.join('')}`
}

function jobRows({ jobs }: ShownSnapshot, status: (typeof states)[number]): [string, string][] {
  const those = jobs.filter((job) => job.status === status)
  if (those.length === 0) return []
  const lines = those.map(({ id, model, ordinal, step, error_message }) => {
    const why = error_message === null ? '' : `: ${error_message}`
    return `  ${id} of ${model}, job ${ordinal}, step ${step}${why}`
  })
  return [['', `${those.length} ${status}`], ...listed(lines)]
}

function listed(lines: readonly string[]): [string, string][] {
  const rows = lines.slice(0, MOST).map((line): [string, string] => ['', line])
  return lines.length > MOST ? [...rows, ['', `… and ${lines.length - MOST} more`]] : rows
}
