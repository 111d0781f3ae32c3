import { valueAt } from '../../base/text/value-at.js'
import {
  fillPayload,
  METADATA,
  templateParts,
  type EventVariable,
  type TemplatePart,
} from '../../service/scenario/payload-template.js'
import type { WebhookRule } from '../../service/scenario/scenario.js'
import type { WebhookEvent } from './event.js'

/** The current secrets of a webhook. */
export interface Credentials {
  readonly accessToken: string | undefined
  readonly secret: string | undefined
}

interface About {
  /** Undefined in a test delivery. */
  event?: WebhookEvent | undefined
  webhook: WebhookRule
  credentials: Credentials
}

/** Returns the bytes to sign and to send. */
export function payloadBytes(parts: readonly TemplatePart[], about: About): Uint8Array {
  return new TextEncoder().encode(fillPayload(parts, (name) => valueOf(name, about)))
}

/** The default payload: every variable that events have. */
export const defaultPayload = {
  event_type: '${event_type}',
  event_author: '${event_author}',
  entity_name: '${entity_name}',
  project_name: '${project_name}',
  alias: '${alias}',
  tag: '${tag}',
  artifact_collection_name: '${artifact_collection_name}',
  artifact_version: '${artifact_version}',
  artifact_version_string: '${artifact_version_string}',
  run_name: '${run_name}',
  run_id: '${run_id}',
  run_state: '${run_state}',
} as const

export const defaultParts = templateParts(defaultPayload)

function valueOf(name: string, { event, webhook, credentials }: About): unknown {
  if (name === 'ACCESS_TOKEN') return credentials.accessToken
  if (name === 'SECRET_NAME' || name === webhook.secret) return credentials.secret
  if (name === webhook.access_token) return credentials.accessToken
  if (!event) return undefined
  const { artifact, run, metric } = event
  if (name.startsWith(METADATA)) {
    const key = name.slice(METADATA.length)
    return valueAt(artifact?.metadata, [key])
  }
  const values: Readonly<Record<EventVariable, unknown>> = {
    project_name: event.registry ?? event.project,
    entity_name: event.entity,
    event_type: event.type,
    event_author: event.author,
    alias: event.alias,
    tag: event.tag,
    artifact_collection_name: artifact?.collection,
    artifact_version: artifact?.version,
    artifact_version_string: artifact?.versionString,
    run_name: run?.name,
    run_id: run?.id,
    run_state: run?.state,
    metric_name: metric?.name,
    metric_value: metric?.value,
  }
  return valueAt(values, [name])
}

/** The most characters of metadata that a delivery has as they are. */
const MOST_METADATA = 10_000

/** Of large metadata, a delivery has only what its payload shows. */
export function withoutLargeMetadata(
  event: WebhookEvent,
  template: readonly TemplatePart[],
): WebhookEvent {
  const { artifact } = event
  if (!artifact || JSON.stringify(artifact.metadata).length <= MOST_METADATA) return event
  const shown = new Set(template.map((part) => (typeof part === 'string' ? '' : part.name)))
  const entries = Object.entries(artifact.metadata)
  const metadata = Object.fromEntries(entries.filter(([key]) => shown.has(`${METADATA}${key}`)))
  return { ...event, artifact: { ...artifact, metadata } }
}
