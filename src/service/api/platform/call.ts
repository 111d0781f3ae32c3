import type { AutomationStore } from '../../engine/automation-store.js'
import type { Account } from '../../scenario/account.js'
import type { Artifact, ArtifactCollection, Version } from '../../platform/artifact.js'
import { toBase64 } from '../../../base/text/bytes.js'
import type { Platform } from '../../platform/platform.js'
import type { Author } from '../../platform/platform-change.js'
import { PlatformError, quoted, unknownId } from '../../platform/platform-error.js'
import type { Project } from '../../platform/project.js'
import type { ProjectRecord } from '../../platform/project-record.js'
import type { Run } from '../../platform/run.js'
import type { StoredFile } from '../../platform/stored-file.js'
import type { ContentAddresses } from './content-addresses.js'
import type { QueryReading } from './query-reading.js'
import type { FileArguments } from './list-arguments.js'

/** An object of the GraphQL schema: values, and functions that return them. */
export type View = Record<string, unknown>

/** Makes objects of the schema. They contain each other, so none of them makes another one by itself. */
export interface Views {
  readonly user: (name: string) => View
  readonly entity: (name: string) => View
  readonly organization: (name: string) => View
  /** The entity of an organization: it owns the registries. */
  readonly organizationEntity: (name: string) => View
  readonly project: (project: Project) => View
  readonly run: (run: Run) => View
  readonly artifact: (artifact: Artifact) => View
  readonly artifactFiles: (artifact: Artifact, wanted: FileArguments) => View
  readonly collection: (collection: ArtifactCollection) => View
  readonly version: (version: Version) => View
  readonly alias: (alias: string, version: Version) => View
  readonly artifactType: (project: ProjectRecord, name: string) => View
  readonly file: (file: StoredFile) => View
}

/** The view of what was found. Null is how GraphQL says that there is none. */
export function viewOf<Found>(found: Found | undefined, view: (found: Found) => View): View | null {
  return found === undefined ? null : view(found)
}

/** A call of the platform: who makes it, and what it is for. */
export interface PlatformCall {
  readonly platform: Platform
  readonly automations: AutomationStore
  readonly account: Account
  readonly author: Author
  /** The program that calls, if several share a run. */
  readonly writer: string | undefined
  /** Returns the address of a content, as the client reaches it. */
  readonly addressOf: ContentAddresses['pathOf']
  /** Whether the key may see what an entity owns. */
  readonly sees: (entity: string) => boolean
  readonly views: Views
  /** What the filters of the query have read. */
  readonly reading: QueryReading
}

/** A refusal that clients tell from others by the status of the answer. */
export class StatusError extends PlatformError {}

/** What is known of a call before its query is executed. */
export type CallFacts = Omit<PlatformCall, 'views' | 'reading'>

/** The arguments of a mutation. */
export interface Input<Fields> {
  readonly input: Fields
}

/** The fields of `Mutation`. The library has checked what they get. */
// oxlint-disable-next-line typescript/no-explicit-any -- Each has input of its own.
export type Mutations = Readonly<Record<string, (wanted: Input<any>) => View>>

/** What a client says. A field that it leaves out or sends as null is undefined. */
export function saidIn<Fields extends object>(
  input: Fields,
): { readonly [Name in keyof Fields]: Exclude<Fields[Name], null> } {
  const said = Object.entries(input).filter(([, value]) => value !== null)
  return Object.fromEntries(said) as ReturnType<typeof saidIn<Fields>>
}

/** The entity that a call names. Without a name, that of the key. */
export function entityOf({ account }: PlatformCall, name: string | null | undefined): string {
  return name === null || name === undefined || name === '' ? account.entity : name
}

/** Refuses an entity that the key may not see. It looks as if there were none. */
export function checkEntity(call: PlatformCall, name: string | null | undefined): string {
  const entity = entityOf(call, name)
  if (call.sees(entity)) return entity
  throw new PlatformError(
    'not-found',
    `There is no entity ${quoted(entity)} that this API key may use. Its entity is ${quoted(call.account.entity)}.`,
  )
}

/** Returns what was found by its id. Refuses what does not exist, and what the key may not see. */
export function checkFound<Found extends { readonly entity: string }>(
  { sees }: PlatformCall,
  found: Found | undefined,
  { kind, id }: { readonly kind: string; readonly id: string },
): Found {
  if (found && sees(found.entity)) return found
  throw unknownId(kind, id)
}

/** The project that a call names. Undefined: there is none that the key may see. */
export function projectNamed(
  call: PlatformCall,
  named: { name?: string | null; entityName?: string | null },
): Project | undefined {
  const entity = entityOf(call, named.entityName)
  return call.sees(entity) ? call.platform.projects.named(entity, named.name ?? '') : undefined
}

/** The artifact with an id. Undefined: there is none that the key may see. */
export function artifactWithId(call: PlatformCall, id: string): Artifact | undefined {
  const artifact = call.platform.artifacts.withId(id)
  return artifact && mayRead(call, artifact) ? artifact : undefined
}

/** Whether the key may see an artifact: where it is, or where it is linked to. */
function mayRead(call: PlatformCall, artifact: Artifact): boolean {
  return (
    call.sees(artifact.entity) ||
    artifact.memberships.some(({ collection }) => call.sees(collection.entity))
  )
}

/** The id of something that has only a name, in any alphabet. */
export function idOf(kind: string, name: string): string {
  return toBase64(new TextEncoder().encode(`${kind}:${name}`))
}

/** The id of the entity of an organization, which has the name of the team and is another entity. */
export function organizationEntityId(name: string): string {
  return idOf('Entity', `organization ${name}`)
}

/** Formats a moment as clients read it. */
export function formatMoment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}
