import type { ExportedSnapshot } from '../../emulator/adapters/snapshot-file.js'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import type { WorldRecord } from '../../service/engine/saved/records.js'
import { countsOf, groupsOf } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { missingSecrets } from '../../service/scenario/missing-secrets.js'
import { shownAction } from '../../webhooks/sending/made-rule.js'
import {
  madeIn,
  partsIn,
  savedEntries,
  webhooksIn,
} from '../../webhooks/sending/restored-webhooks.js'
import { toIso } from '../../base/text/iso.js'

/** The contents of a snapshot. It has only the names of secrets, and the number of API keys. */
export type ShownSnapshot = ReturnType<typeof contentsOf>

type OfKind<K extends WorldRecord['kind']> = Extract<WorldRecord, { kind: K }>

const LONGEST_REASON = 80

/** Describes a snapshot for programs. Its time is in ISO 8601. */
export function snapshotJson(exported: ExportedSnapshot): ShownSnapshot {
  return contentsOf(exported)
}

/** Webhooks of options: the snapshot has what happened to them, and not where they send. */
function webhooksOfOptions(saved: SavedWorld): string[] {
  const own = partsIn(saved).webhooks.map(({ name }) => name)
  return webhooksIn(saved).filter((name) => !own.includes(name))
}

function contentsOf({ snapshot, saved }: ExportedSnapshot) {
  const { version, seed, scenario, now } = saved
  const ofKind = <K extends WorldRecord['kind']>(kind: K): OfKind<K>[] => {
    return saved.records.filter((each): each is OfKind<K> => each.kind === kind)
  }
  const left = ofKind('checkpoint').filter(({ deleted }) => !deleted)
  const checkpoints = groupsOf(left, ({ model }) => model)
  const aliases = new Map(ofKind('aliases').map((each) => [each.key, each.aliases]))
  const states = new Map(ofKind('progress').map(({ key, state }) => [key, state]))
  const parts = partsIn(saved)
  const deliveries = savedEntries(saved).flatMap((each) => {
    return each.kind === 'delivery' ? [each.value] : []
  })
  const failed = deliveries.filter(({ status }) => status === 'failed')
  const failures = failed.map(({ webhook, attempts }) => {
    const { error, status } = attempts.at(-1) ?? {}
    return { webhook, reason: shortened(error ?? `answered ${status}`, LONGEST_REASON) }
  })
  return {
    version,
    has_secrets: (snapshot as { secrets?: string }).secrets !== undefined,
    scenario: { name: scenario.name, description: scenario.description },
    seed,
    now: toIso(now),
    models: ofKind('model').map(({ key: id, record }) => {
      const { entity, project, name, base_model } = record as Exclude<typeof record, 'deleted'>
      const names = aliases.get(id) ?? []
      return {
        id,
        name: `${entity}/${project}/${name}`,
        base_model,
        checkpoints: (checkpoints.get(id) ?? []).map(({ key, step }) => {
          return { step, aliases: names.filter(([, of]) => of === key).map(([alias]) => alias) }
        }),
      }
    }),
    jobs: ofKind('job').map(({ key: id, jobKind: kind, model, ordinal }) => {
      const { status, gradientSteps: step, errorMessage = null } = states.get(id)!
      return { id, kind, model: model.name, ordinal, status, step, error_message: errorMessage }
    }),
    webhooks_of_options: webhooksOfOptions(saved),
    webhooks: parts.webhooks.map(({ name, url }) => {
      return { name, url: url === undefined ? null : withoutCredentials(url) }
    }),
    automations: [
      ...parts.automations.map(({ name, event, webhook }) => ({ name, event, webhook })),
      ...madeIn(saved).map(({ name, event, action }) => {
        return { name, event, webhook: shownAction(action) }
      }),
    ],
    deliveries: Object.fromEntries(countsOf(deliveries.map(({ status }) => status))),
    failed_deliveries: Array.from(
      groupsOf(failures, ({ webhook, reason }) => JSON.stringify([webhook, reason])).values(),
      (all) => ({ ...all[0]!, count: all.length }),
    ),
    secrets: Object.keys(parts.secrets),
    secrets_without_value: missingSecrets(parts),
    api_keys: Object.keys(scenario.auth.keys ?? {}).length,
  }
}
